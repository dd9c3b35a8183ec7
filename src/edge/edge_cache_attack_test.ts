/** Attacks on the cache through the whole edge: poisoning and deception. */
import assert from "node:assert/strict";
import type { OutboundRequest } from "../runtime/mod.ts";
import { cached, dynamicEdge, toUpstream } from "./_test_dynamic.ts";

/** Simulates another site that trusts and echoes all forwarding, range and conditional headers. */
function gullible({ headers, url, method }: OutboundRequest): Response {
  const believed = headers
    .filter(([name]) => /^(?:x-|forwarded|front-|range|if-|authorization)/.test(name))
    .filter(([name]) =>
      !["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"].includes(name)
    );
  const told = new Map(headers);
  const links = `${told.get("x-forwarded-proto")}://${told.get("x-forwarded-host")}/`;
  return Response.json({ method, url, links, believed }, {
    headers: { "content-type": "text/html" },
  });
}

const UNKEYED: readonly (readonly [string, string])[] = [
  ["x-forwarded-host", "evil.test"],
  ["x-forwarded-proto", "https"],
  ["x-forwarded-port", "81"],
  ["x-forwarded-scheme", "nothttps"],
  ["x-forwarded-prefix", "/evil"],
  ["x-host", "evil.test"],
  ["x-original-url", "/admin"],
  ["x-rewrite-url", "/admin"],
  ["x-http-method-override", "DELETE"],
  ["x-method-override", "HEAD"],
  ["x-middleware-subrequest", "1"],
  ["forwarded", "host=evil.test"],
  ["front-end-https", "on"],
  ["range", "bytes=0-0"],
  ["if-none-match", "*"],
];

for (const [name, value] of UNKEYED) {
  Deno.test(`${name} of one client does not affect the responses for others`, async () => {
    const edge = dynamicEdge({ rules: [toUpstream, cached()], upstream: gullible });
    const clean = dynamicEdge({ rules: [toUpstream, cached()], upstream: gullible });
    await (await edge.fetch("/page", { headers: { [name]: value } })).text();
    const victim = await (await edge.fetch("/page")).text();
    assert.equal(victim, await (await clean.fetch("/page")).text());
  });
}

Deno.test("a response for a Host with an unusual port is stored separately", async () => {
  const edge = dynamicEdge({ rules: [toUpstream, cached()], upstream: gullible });
  await (await edge.fetch("http://site.test:81/page")).text();
  const { links } = await (await edge.fetch("http://site.test/page")).json();
  assert.equal(links, "http://site.test/");
});

Deno.test("a client that causes an error or a redirect poisons no other page", async () => {
  const edge = dynamicEdge({
    rules: [toUpstream, cached()],
    upstream: ({ url }) =>
      url.includes("%0d") || url.includes("?")
        ? new Response(null, { status: 302, headers: { location: "https://evil.test/" } })
        : new Response("page"),
  });
  await edge.fetch("/page?utm=1");
  await edge.fetch("/page%0d%0aset-cookie:x");
  assert.equal(await (await edge.fetch("/page")).text(), "page");
});

const SUFFIXES = [
  "/account/photo.css",
  "/account/x.js",
  "/account;a.png",
  "/account/%2e%2e/account/a.jpg",
  "/account%2fa.ico",
  "/account%23a.svg",
  "/account%3fa.woff2",
];
for (const path of SUFFIXES) {
  Deno.test(`a personal page under ${path} is not stored`, async () => {
    const edge = dynamicEdge({
      rules: [toUpstream, cached()],
      upstream: ({ headers }) =>
        new Response(`data of ${new Map(headers).get("cookie")}`, {
          headers: { "content-type": "text/html" },
        }),
    });
    await (await edge.fetch(path, { headers: { cookie: "user=victim" } })).text();
    const attacker = await (await edge.fetch(path, { headers: { cookie: "user=attacker" } }))
      .text();
    assert.equal(attacker, "data of user=attacker");
  });
}

Deno.test("no client gets another client's cookie or authorized response from the cache", async () => {
  const edge = dynamicEdge({
    rules: [toUpstream, cached()],
    upstream: () =>
      new Response("page", {
        headers: { "set-cookie": "session=victim", "cache-control": "public, max-age=60" },
      }),
  });
  await (await edge.fetch("/")).text();
  const hit = await edge.fetch("/");
  assert.equal(hit.headers.get("x-svc-cache"), "HIT");
  assert.deepEqual(hit.headers.getSetCookie(), []);
});
