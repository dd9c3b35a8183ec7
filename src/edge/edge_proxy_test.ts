/** Tests external rewrites through the whole edge. */
import assert from "node:assert/strict";
import { createOutboundFetch, OutboundError, type OutboundRequest } from "../runtime/mod.ts";
import { MAX_RETURNS } from "./messages/message_headers.ts";
import { cached, dynamicEdge, toUpstream, UPSTREAM } from "./_test_dynamic.ts";

const fieldsOf = (request: OutboundRequest | undefined) => new Map(request?.headers);

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("an external rewrite sends path, query, method and body to the other site", async () => {
  const edge = dynamicEdge({
    rules: [toUpstream],
    upstream: async ({ body }) => new Response(await new Response(body).text(), { status: 201 }),
  });
  const answer = await edge.fetch("/a/b?x=1", { method: "POST", body: "hello" });
  assert.equal(answer.status, 201);
  assert.equal(await answer.text(), "hello");
  assert.equal(edge.asked[0]?.url, `${UPSTREAM}/a/b?x=1`);
  assert.equal(edge.asked[0]?.method, "POST");
  assert.equal(answer.headers.get("x-svc-request-id"), "r1");
  assert.equal(answer.headers.get("x-svc-deployment"), "deployment-1");
});

Deno.test("a request's content-length is forwarded, and its body is not chunked", async () => {
  const edge = dynamicEdge({ rules: [toUpstream] });
  const init = { method: "POST", body: "hello", headers: { "content-length": "5" } };
  await edge.fetch("/", init);
  assert.equal(fieldsOf(edge.asked[0]).get("content-length"), "5");
});

Deno.test("request and response bodies stream without waiting for each other", async () => {
  const edge = dynamicEdge({
    rules: [toUpstream],
    upstream: ({ body }) => new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>),
  });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const answer = await edge.fetch("/", { method: "POST", body: readable });
  const reader = answer.body!.getReader();
  for (const text of ["one", "two"]) {
    void writer.write(bytes(text));
    assert.deepEqual((await reader.read()).value, bytes(text));
  }
  void writer.close();
  assert.equal((await reader.read()).done, true);
});

Deno.test("hop-by-hop fields are dropped in both directions", async () => {
  const edge = dynamicEdge({
    rules: [toUpstream],
    upstream: () =>
      new Response("x", {
        headers: {
          connection: "keep-alive, x-inner",
          "x-inner": "1",
          "keep-alive": "timeout=5",
          "proxy-authenticate": "Basic",
          "x-kept": "yes",
        },
      }),
  });
  const answer = await edge.fetch("/", {
    headers: {
      connection: "x-secret",
      "x-secret": "1",
      te: "trailers",
      upgrade: "h2c",
      "proxy-authorization": "Basic x",
      "x-kept": "yes",
    },
  });
  const asked = fieldsOf(edge.asked[0]);
  for (const name of ["connection", "x-secret", "te", "upgrade", "proxy-authorization"]) {
    assert.equal(asked.get(name), undefined, name);
  }
  assert.equal(asked.get("x-kept"), "yes");
  for (const name of ["connection", "x-inner", "keep-alive", "proxy-authenticate"]) {
    assert.equal(answer.headers.get(name), null, name);
  }
  assert.equal(answer.headers.get("x-kept"), "yes");
});

Deno.test("only the edge adds fields about the client, and adds itself to Via", async () => {
  const edge = dynamicEdge({ rules: [toUpstream] });
  await edge.fetch("/", {
    from: "192.0.2.7",
    headers: {
      "x-forwarded-for": "6.6.6.6",
      "x-forwarded-host": "evil.test",
      "x-forwarded-proto": "https",
      "x-real-ip": "6.6.6.6",
      forwarded: "for=6.6.6.6",
      via: "1.0 before",
    },
  });
  const asked = fieldsOf(edge.asked[0]);
  assert.equal(asked.get("x-forwarded-for"), "192.0.2.7");
  assert.equal(asked.get("x-forwarded-host"), "site.test");
  assert.equal(asked.get("x-forwarded-proto"), "http");
  assert.equal(asked.get("x-real-ip"), undefined);
  assert.equal(asked.get("forwarded"), undefined);
  assert.match(asked.get("via") ?? "", /^1\.0 before, 1\.1 svc-[0-9a-f]{12}$/);
});

Deno.test("a response cannot forge the edge's own fields, and cookies stay separate", async () => {
  const edge = dynamicEdge({
    rules: [toUpstream],
    upstream: () =>
      new Response("x", {
        headers: [
          ["x-svc-deployment", "forged"],
          ["x-svc-request-id", "forged"],
          ["set-cookie", "a=1"],
          ["set-cookie", "b=2"],
        ],
      }),
  });
  const { headers } = await edge.fetch("/");
  assert.equal(headers.get("x-svc-deployment"), "deployment-1");
  assert.equal(headers.get("x-svc-request-id"), "r1");
  assert.deepEqual(headers.getSetCookie(), ["a=1", "b=2"]);
});

Deno.test("the other site's redirects are passed on like any response", async () => {
  const edge = dynamicEdge({
    rules: [toUpstream],
    upstream: () => new Response(null, { status: 302, headers: { location: "/next" } }),
  });
  const answer = await edge.fetch("/");
  assert.deepEqual([answer.status, answer.headers.get("location")], [302, "/next"]);
  assert.equal(edge.asked.length, 1);
});

Deno.test("HEAD has no body, regardless of what the other site sends", async () => {
  const edge = dynamicEdge({
    rules: [toUpstream],
    upstream: () => new Response("12345", { headers: { "content-length": "5" } }),
  });
  const answer = await edge.fetch("/", { method: "HEAD" });
  assert.equal(await answer.text(), "");
  assert.equal(answer.headers.get("content-length"), "5");
});

Deno.test("HEAD gets a status without content, from the other site or the cache", async () => {
  const edge = dynamicEdge({
    rules: [toUpstream, { ...cached(), condition: { path: { type: "exact", value: "/kept" } } }],
    upstream: ({ url }) =>
      url.endsWith("/kept")
        ? new Response("page", { headers: { etag: '"1"' } })
        : new Response(null, { status: Number(url.slice(-3)) }),
  });
  for (const status of [204, 205, 304]) {
    const answer = await edge.fetch(`/${status}`, { method: "HEAD" });
    assert.deepEqual([answer.status, await answer.text()], [status, ""]);
  }
  const headers = { "if-none-match": '"1"' };
  const kept = await edge.fetch("/kept", { method: "HEAD", headers });
  assert.deepEqual([kept.status, await kept.text()], [304, ""]);
});

const FAILURES: readonly (readonly [code: OutboundError["code"], status: number])[] = [
  ["dns_failed", 502],
  ["refused_address", 502],
  ["connect_failed", 502],
  ["tls_failed", 502],
  ["reset", 502],
  ["bad_response", 502],
  ["connect_timeout", 504],
  ["idle_timeout", 504],
  // Failures that the client caused, either by disconnecting or by ending its body early.
  ["aborted", 499],
];
for (const [code, status] of FAILURES) {
  Deno.test(`an upstream that fails with ${code} results in a ${status} without details`, async () => {
    const edge = dynamicEdge({
      rules: [toUpstream],
      upstream: () => {
        throw new OutboundError(code, "upstream-words 10.0.0.7");
      },
    });
    const answer = await edge.fetch("/");
    assert.equal(answer.status, status);
    const text = await answer.text();
    assert.match(text, /\(r1\)/);
    assert.doesNotMatch(text, /upstream|10\.0\.0\.7/);
    assert.equal(answer.headers.get("x-svc-request-id"), "r1");
    assert.equal(edge.records[0]?.error, `Cannot reach upstream.test: ${code}`);
  });
}

Deno.test("a request that loops back to this edge ends with 508", async () => {
  const edge = dynamicEdge({
    rules: [toUpstream],
    upstream: async ({ headers }) => {
      const fields = headers.map(([name, value]): [string, string] => [name, value]);
      return await edge.fetch("/", { headers: fields });
    },
  });
  const answer = await edge.fetch("/");
  assert.equal(answer.status, 508);
  assert.equal(edge.asked.length, MAX_RETURNS + 1);
});

Deno.test("the edge detects a loop even if a step drops Via", async () => {
  const edge = dynamicEdge({
    rules: [
      toUpstream,
      {
        id: "p",
        action: {
          type: "pipeline",
          steps: [{ use: "strip", mode: "request" }, { handle: "origin" }],
        },
      },
    ],
    functions: { strip: ({ url }) => new Request(url) },
    upstream: async ({ headers }) => {
      const fields = headers.map(([name, value]): [string, string] => [name, value]);
      return await edge.fetch("/", { headers: fields });
    },
  });
  assert.equal((await edge.fetch("/")).status, 508);
  assert.equal(edge.asked.length, MAX_RETURNS + 1);
});

/** Rewrites a request to this URL, using an outbound client that checks and records addresses. */
async function throughGuard(target: string): Promise<{ status: number; dialled: string[] }> {
  const names: Record<string, string[]> = {
    "inside.test": ["10.0.0.1"],
    "mixed.test": ["93.184.215.14", "127.0.0.1"],
    "six.test": ["fd00::1"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "metadata.test": ["169.254.169.254"],
  };
  const dialled: string[] = [];
  const outbound = createOutboundFetch({
    resolveDns: (name) => Promise.resolve(names[name] ?? []),
    dial: ({ hostname }) => {
      dialled.push(hostname);
      return Promise.reject(new Error("No network in this test"));
    },
  });
  const edge = dynamicEdge({
    rules: [{ id: "r", action: { type: "rewrite", target, external: true } }],
    edge: { outbound: outbound.fetch },
  });
  return { status: (await edge.fetch("/")).status, dialled };
}

for (
  const host of [
    "127.0.0.1",
    "10.1.2.3",
    "192.168.0.1",
    "169.254.169.254",
    "[::1]",
    "[fd00::1]",
    "[::ffff:10.0.0.1]",
    "0x7f000001",
    "2130706433",
    "127.1",
    "localhost",
    "db.internal",
    "inside.test",
    "mixed.test",
    "six.test",
    "mapped.test",
    "metadata.test",
  ]
) {
  Deno.test(`a rewrite to ${host} is refused before the edge connects`, async () => {
    assert.deepEqual(await throughGuard(`https://${host}/x`), { status: 502, dialled: [] });
  });
}

Deno.test("the edge does not connect to a name that becomes private after the check", async () => {
  const dialled: string[] = [];
  let asked = 0;
  const outbound = createOutboundFetch({
    resolveDns: () => Promise.resolve(asked++ === 0 ? ["93.184.215.14"] : ["127.0.0.1"]),
    dial: ({ hostname }) => {
      dialled.push(hostname);
      return Promise.reject(new Error("No network in this test"));
    },
  });
  const edge = dynamicEdge({
    rules: [{ ...toUpstream }],
    edge: { outbound: outbound.fetch },
  });
  assert.equal((await edge.fetch("/a")).status, 502);
  assert.equal((await edge.fetch("/b")).status, 502);
  assert.deepEqual(
    dialled,
    ["93.184.215.14"],
    "the checked and the connected address are the same",
  );
});

Deno.test("the record contains the length of a body, or says that it is unknown", async () => {
  const stream = () => new Response("streamed").body;
  const edge = dynamicEdge({
    rules: [toUpstream],
    upstream: ({ url }) => {
      if (url.endsWith("/none")) return new Response(null, { status: 204 });
      const headers = new Headers(url.endsWith("/told") ? { "content-length": "8" } : {});
      return new Response(stream(), { headers });
    },
  });
  for (const path of ["/told", "/streamed", "/none"]) await (await edge.fetch(path)).text();
  await (await edge.fetch("/streamed", { method: "HEAD" })).text();
  assert.deepEqual(edge.records.map(({ bytes }) => bytes), [8, null, 0, 0]);
});
