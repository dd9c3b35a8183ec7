/** Attacks on shared caches. Nothing that one client sends or receives may reach another client. */
import assert from "node:assert/strict";
import { NOT_FORWARDED } from "./origin_request.ts";
import type { CacheRule } from "./types.ts";
import { ok, TestCache, type TestRequest } from "./_test_origin.ts";

/** Returns an origin that writes request fields into its page, as many origins do. */
function reflecting(): TestCache {
  return new TestCache(({ headers }) =>
    ok(JSON.stringify(headers), { "cache-control": "max-age=60" })
  );
}

const POISON = [
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-scheme",
  "x-forwarded-port",
  "x-forwarded-prefix",
  "x-original-url",
  "x-rewrite-url",
  "x-http-method-override",
  "x-host",
  "forwarded",
];

for (const name of POISON) {
  Deno.test(`an unkeyed ${name} does not reach the origin of a shared response`, async () => {
    const test = reflecting();
    await test.read({ headers: { [name]: "evil.test" } });
    const victim = await test.read();
    assert.equal(victim.result, "HIT");
    assert.equal(victim.text.includes("evil.test"), false);
    assert.equal(NOT_FORWARDED.has(name), true);
  });
}

Deno.test("a request that bypasses the cache is forwarded unchanged", async () => {
  const test = reflecting();
  const answer = await test.read({ headers: { "x-forwarded-host": "own.test" } }, "bypass");
  assert.equal(answer.text, '{"x-forwarded-host":"own.test"}');
});

Deno.test("a GET with a body does not poison the cache", async () => {
  const test = reflecting();
  assert.equal(
    (await test.read({ headers: { "content-length": "9", "x-a": "evil" } })).result,
    "BYPASS",
  );
  assert.equal((await test.read()).text.includes("evil"), false);
});

/** Paths for which a careless origin responds with the account page. */
const DECEPTIVE = [
  { url: "/account/photo.css", type: "text/html; charset=utf-8", stored: false },
  { url: "/account/x.js", type: "text/html", stored: false },
  { url: "/account;x.png", type: "text/html", stored: false },
  { url: "/account%3Fx.css", type: "text/html", stored: false },
  { url: "/account%2Fx.css", type: "application/json", stored: false },
  { url: "/account/AVATAR.JPG", type: "text/html", stored: false },
  { url: "/account/me.woff2", type: "application/json", stored: false },
  { url: "/photo.jpg", type: "image/webp", stored: true },
  { url: "/app.js", type: "application/javascript", stored: true },
  { url: "/feed.rss", type: "application/xml", stored: true },
  { url: "/style.css", type: "text/css; charset=utf-8", stored: true },
  { url: "/page.html", type: "text/html", stored: true },
  { url: "/css", type: "text/html", stored: true },
  { url: "/v1.2", type: "application/json", stored: true },
  { url: "/object.constructor", type: "text/html", stored: true },
];

for (const { url, type, stored } of DECEPTIVE) {
  Deno.test(`${url} as ${type} is ${stored ? "stored" : "not stored"}`, async () => {
    const test = new TestCache(() => ok("account of A", { "content-type": type }));
    const first = await test.read({ url });
    assert.equal((await test.read({ url })).result, stored ? "HIT" : "MISS");
    if (!stored) assert.match(first.header("cache-status") ?? "", /detail=content_type$/);
  });
}

Deno.test("an HTML response at a URL that looks like a file is stored if it is public", async () => {
  const headers = { "content-type": "text/html", "cache-control": "public, max-age=60" };
  const test = new TestCache(() => ok("for all", headers));
  await test.read({ url: "/docs/x.css" });
  assert.equal((await test.read({ url: "/docs/x.css" })).result, "HIT");
});

Deno.test("no cookie reaches another client, regardless of the response", async () => {
  for (
    const control of ["max-age=60", "public, max-age=60", "s-maxage=60", 'private="set-cookie"']
  ) {
    const test = new TestCache((_, count) =>
      ok("x", { "cache-control": control, "set-cookie": `session=${count}`, etag: '"a"' })
    );
    assert.equal((await test.read()).header("set-cookie"), "session=1");
    const other = await test.read();
    assert.ok(
      other.header("set-cookie") === undefined || other.header("set-cookie") === "session=2",
    );
    assert.equal(other.result === "HIT", other.header("set-cookie") === undefined);
  }
});

Deno.test("hop-by-hop fields are not stored", async () => {
  const test = new TestCache(() =>
    ok("x", {
      connection: "close, x-hop",
      "x-hop": "1",
      "keep-alive": "timeout=5",
      "proxy-authenticate": "Basic",
    })
  );
  await test.read();
  const hit = await test.read();
  for (const name of ["connection", "x-hop", "keep-alive", "proxy-authenticate"]) {
    assert.equal(hit.header(name), undefined, name);
  }
});

/** Pairs of requests that must not share a response under the given rule. */
const DIMENSIONS: readonly {
  readonly name: string;
  readonly rule: Partial<CacheRule>;
  readonly a: TestRequest;
  readonly b: TestRequest;
}[] = [
  { name: "host", rule: {}, a: { host: "a.test" }, b: { host: "b.test" } },
  { name: "deployment", rule: {}, a: { deploymentId: "1" }, b: { deploymentId: "2" } },
  {
    name: "the originKey",
    rule: {},
    a: { originKey: "https://eu.test/" },
    b: { originKey: "https://us.test/" },
  },
  { name: "query", rule: {}, a: { url: "/?a" }, b: { url: "/?b" } },
  { name: "geo", rule: { vary: ["geo"] }, a: { country: "DE" }, b: { country: "FR" } },
  { name: "unknown country", rule: { vary: ["geo"] }, a: { country: "DE" }, b: {} },
  { name: "asn", rule: { vary: ["asn"] }, a: { asn: 1 }, b: { asn: 2 } },
  { name: "device", rule: { vary: ["device"] }, a: { device: "mobile" }, b: { device: "desktop" } },
  {
    name: "the header of the condition",
    rule: { vary: ["header"], varyNames: { headers: ["x-beta"], cookies: [], query: [] } },
    a: { headers: { "x-beta": "1" } },
    b: {},
  },
  {
    name: "the cookie of the condition",
    rule: { vary: ["cookie"], varyNames: { headers: [], cookies: ["plan"], query: [] } },
    a: { headers: { cookie: "plan=free; id=1" } },
    b: { headers: { cookie: "plan=paid; id=1" } },
  },
  {
    name: "all cookies if the condition names none",
    rule: { vary: ["cookie"] },
    a: { headers: { cookie: "id=1" } },
    b: { headers: { cookie: "id=2" } },
  },
];

for (const { name, rule, a, b } of DIMENSIONS) {
  Deno.test(`responses are separated by ${name}`, async () => {
    const test = new TestCache((_, count) => ok(String(count)));
    await test.read(a, rule);
    assert.equal((await test.read(b, rule)).text, "2");
    assert.equal((await test.read(a, rule)).text, "1");
    assert.equal((await test.read(b, rule)).text, "2");
  });
}

Deno.test("a cookie that the condition does not name does not separate responses", async () => {
  const rule: Partial<CacheRule> = {
    vary: ["cookie"],
    varyNames: { headers: [], cookies: ["plan"], query: [] },
  };
  const test = new TestCache(() => ok("x"));
  await test.read({ headers: { cookie: "plan=free; id=1" } }, rule);
  assert.equal((await test.read({ headers: { cookie: "id=2; plan=free" } }, rule)).result, "HIT");
});
