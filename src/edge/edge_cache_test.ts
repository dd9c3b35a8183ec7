/** Tests the cache through the whole edge, in front of another site. */
import assert from "node:assert/strict";
import type { Rule } from "../rules/mod.ts";
import { cached, dynamicEdge, type DynamicWorld, toUpstream } from "./_test_dynamic.ts";

const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1";

const state = (answer: Response) => answer.headers.get("x-svc-cache");

/** Returns an edge with a cache rule in front of another site, whose responses are counted. */
function world(more: Partial<DynamicWorld> & { readonly cache?: object } = {}) {
  const { cache, ...rest } = more;
  return dynamicEdge({
    rules: [toUpstream, cached(cache)],
    upstream: (_, count) => new Response(`answer ${count}`),
    ...rest,
  });
}

async function read(edge: ReturnType<typeof world>, path: string, init?: RequestInit) {
  const answer = await edge.fetch(path, init);
  return { answer, text: await answer.text(), state: state(answer) };
}

Deno.test("a response is a MISS, then a HIT, and a MISS again after its lifetime", async () => {
  const edge = world();
  const first = await read(edge, "/a");
  assert.deepEqual([first.state, first.text], ["MISS", "answer 1"]);
  edge.wait(12);
  const second = await read(edge, "/a");
  assert.deepEqual([second.state, second.text], ["HIT", "answer 1"]);
  assert.equal(second.answer.headers.get("age"), "12");
  assert.equal(second.answer.headers.get("cache-status"), "svc; hit; ttl=48");
  edge.wait(60);
  assert.deepEqual((await read(edge, "/a")).text, "answer 2");
});

Deno.test("each hit has its own request ID", async () => {
  const edge = world();
  await read(edge, "/");
  const { answer } = await read(edge, "/");
  assert.equal(answer.headers.get("x-svc-request-id"), "r2");
});

Deno.test("within stale-while-revalidate, a stale response is served and refreshed once", async () => {
  const edge = world({ cache: { swrSeconds: 100 } });
  await read(edge, "/");
  edge.wait(61);
  const stale = await read(edge, "/");
  assert.deepEqual([stale.state, stale.text], ["STALE", "answer 1"]);
  await new Promise((resolve) => setTimeout(resolve));
  const fresh = await read(edge, "/");
  assert.deepEqual([fresh.state, fresh.text], ["HIT", "answer 2"]);
  assert.equal(edge.asked.length, 2);
});

Deno.test("the cache is not used for bypass_cache, other methods and the static site", async () => {
  const bypass: Rule = { id: "no", action: { type: "bypass_cache" } };
  const edge = world({ rules: [toUpstream, bypass] });
  assert.equal((await read(edge, "/")).state, "BYPASS");
  assert.equal((await read(edge, "/")).text, "answer 2");
  const post = await read(world(), "/", { method: "POST", body: "x" });
  assert.equal(post.state, "BYPASS");
  const files = dynamicEdge({ rules: [cached()] });
  assert.equal(state(await files.fetch("/")), null);
});

Deno.test("many clients share one request", async () => {
  const gate = Promise.withResolvers<void>();
  const edge = world({
    upstream: async (_, count) => {
      await gate.promise;
      return new Response(`answer ${count}`);
    },
  });
  const waiting = Array.from({ length: 20 }, () => read(edge, "/"));
  await new Promise((resolve) => setTimeout(resolve));
  gate.resolve();
  const answers = await Promise.all(waiting);
  assert.equal(edge.asked.length, 1);
  assert.ok(answers.every(({ text }) => text === "answer 1"));
});

Deno.test("a client that disconnects does not cancel the request that others wait for", async () => {
  const gate = Promise.withResolvers<void>();
  const edge = world({
    upstream: async () => {
      await gate.promise;
      return new Response("kept");
    },
  });
  const leaving = new AbortController();
  const first = edge.fetch("/", { signal: leaving.signal }).catch(() => undefined);
  const second = read(edge, "/");
  await new Promise((resolve) => setTimeout(resolve));
  leaving.abort();
  gate.resolve();
  assert.equal((await second).text, "kept");
  const signal = edge.asked[0]?.signal;
  assert.equal((typeof signal === "function" ? signal() : signal)?.aborted ?? false, false);
  await first;
});

Deno.test("purge removes everything, a path with its queries, or a prefix", async () => {
  const paths = ["/a", "/a?q=1", "/a/b", "/c"];
  const scopes = [
    [{ type: "all" }, ["MISS", "MISS", "MISS", "MISS"]],
    [{ type: "path", path: "/a" }, ["MISS", "MISS", "HIT", "HIT"]],
    [{ type: "prefix", prefix: "/a/" }, ["HIT", "HIT", "MISS", "HIT"]],
  ] as const;
  for (const [scope, wanted] of scopes) {
    const edge = world();
    for (const path of paths) await read(edge, path);
    edge.cache!.purge("deployment-1", scope);
    const seen = [];
    for (const path of paths) seen.push((await read(edge, path)).state);
    assert.deepEqual(seen, wanted, scope.type);
  }
});

Deno.test("an unsafe request invalidates its URI only if it succeeds", async () => {
  const edge = world({
    upstream: ({ method, url }, count) =>
      new Response(`answer ${count}`, {
        status: method !== "GET" && url.endsWith("/fails") ? 500 : 200,
        headers: method === "POST" ? { location: "/other" } : {},
      }),
  });
  for (const path of ["/a", "/other", "/fails"]) await read(edge, path);
  await read(edge, "/a", { method: "POST", body: "x" });
  await read(edge, "/fails", { method: "DELETE" });
  const seen = [];
  for (const path of ["/a", "/other", "/fails"]) seen.push((await read(edge, path)).state);
  assert.deepEqual(seen, ["MISS", "MISS", "HIT"]);
});

Deno.test("an unsafe request without a cache rule also invalidates its URI", async () => {
  const edge = world({
    rules: [toUpstream, { ...cached(), condition: { methods: ["GET"] } }],
  });
  await read(edge, "/a");
  await read(edge, "/a", { method: "PUT", body: "x" });
  assert.equal((await read(edge, "/a")).state, "MISS");
});

Deno.test("vary dimensions separate responses, but other differences do not", async () => {
  const edge = world({
    cache: { vary: ["device", "header"] },
    rules: [
      toUpstream,
      {
        ...cached({ vary: ["device", "header"] }),
        condition: { not: { headers: { "x-ab": "z" } } },
      },
    ],
  });
  const ask = async (headers: Record<string, string>) => (await read(edge, "/", { headers })).state;
  assert.equal(await ask({ "x-ab": "1" }), "MISS");
  assert.equal(await ask({ "x-ab": "2" }), "MISS");
  assert.equal(await ask({ "x-ab": "1", "x-other": "1" }), "HIT");
  assert.equal(await ask({ "x-ab": "1", "user-agent": PHONE }), "MISS");
});

Deno.test("different hosts, queries and deployments share no responses", async () => {
  const edge = world();
  await read(edge, "/a?x=1");
  assert.equal((await read(edge, "/a?x=2")).state, "MISS");
  assert.equal((await read(edge, "/A?x=1")).state, "MISS");
  assert.equal(
    (await read(edge, "/./a?x=1")).state,
    "HIT",
    "paths are compared in normalized form",
  );
});

Deno.test("header rules change hits too, and their changes are not stored", async () => {
  const edge = world({
    rules: [
      toUpstream,
      cached(),
      { id: "set", action: { type: "set_headers", headers: { "x-set": "1", age: "7" } } },
      { id: "drop", action: { type: "remove_headers", headers: ["x-drop"] } },
    ],
    upstream: () => new Response("x", { headers: { "x-drop": "1" } }),
  });
  for (const wanted of ["MISS", "HIT"]) {
    const { answer, state: seen } = await read(edge, "/");
    assert.equal(seen, wanted);
    assert.equal(answer.headers.get("x-set"), "1");
    assert.equal(answer.headers.get("x-drop"), null);
  }
});

Deno.test("HEAD, conditions and ranges are served from the stored response", async () => {
  const edge = world({
    upstream: () => new Response("0123456789", { headers: { etag: '"v1"' } }),
  });
  await read(edge, "/");
  const head = await read(edge, "/", { method: "HEAD" });
  assert.deepEqual([head.state, head.text, head.answer.status], ["HIT", "", 200]);
  const known = await read(edge, "/", { headers: { "if-none-match": '"v1"' } });
  assert.deepEqual([known.answer.status, known.text], [304, ""]);
  const part = await read(edge, "/", { headers: { range: "bytes=2-4" } });
  assert.deepEqual([part.answer.status, part.text], [206, "234"]);
  assert.equal(part.answer.headers.get("content-range"), "bytes 2-4/10");
  assert.equal(edge.asked.length, 1);
});

Deno.test("an expired response is validated, not fetched again", async () => {
  const edge = world({
    upstream: ({ headers }) =>
      new Map(headers).get("if-none-match") === '"v1"'
        ? new Response(null, { status: 304, headers: { etag: '"v1"' } })
        : new Response("long text", { headers: { etag: '"v1"' } }),
  });
  await read(edge, "/");
  edge.wait(61);
  const again = await read(edge, "/");
  assert.deepEqual([again.answer.status, again.text], [200, "long text"]);
  assert.match(again.answer.headers.get("cache-status") ?? "", /fwd=stale; fwd-status=304/);
});

Deno.test("the cache serves a stale response if the upstream fails, and stores no edge errors", async () => {
  let broken = false;
  const edge = world({
    cache: { swrSeconds: 1000 },
    upstream: () => broken ? new Response("no", { status: 503 }) : new Response("good"),
  });
  await read(edge, "/");
  broken = true;
  edge.wait(61);
  assert.equal((await read(edge, "/")).text, "good");
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal((await read(edge, "/")).text, "good", "a failed refresh changes nothing");
});

const NEVER: readonly (readonly [string, RequestInit, HeadersInit])[] = [
  ["Authorization", { headers: { authorization: "Bearer x" } }, {}],
  ["Set-Cookie", {}, { "set-cookie": "a=1" }],
  ["private", {}, { "cache-control": "private" }],
  ["no-store", {}, { "cache-control": "no-store" }],
  ["Vary: *", {}, { vary: "*" }],
];
for (const [name, request, headers] of NEVER) {
  Deno.test(`a response with ${name} reaches no other client`, async () => {
    const edge = world({ upstream: (_, count) => new Response(`answer ${count}`, { headers }) });
    assert.equal((await read(edge, "/", request)).text, "answer 1");
    assert.equal((await read(edge, "/")).text, "answer 2");
  });
}
