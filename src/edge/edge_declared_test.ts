/**
 * Tests which of a server's responses are stored because of their own headers, and for how long.
 */
import assert from "node:assert/strict";
import { counting, declaredEdge, SHARED } from "./_test_declared.ts";

Deno.test("a response with s-maxage is stored for that long, without a rule", async () => {
  const edge = declaredEdge(counting({ "cache-control": "s-maxage=60" }));
  const first = await edge.fetch("/");
  assert.deepEqual(
    ["x-svc-cache", "cache-control", "cache-status"].map((name) => first.headers.get(name)),
    [
      "MISS",
      "public, max-age=0, must-revalidate",
      "svc; fwd=uri-miss; fwd-status=200; stored",
    ],
  );
  await first.text();
  await edge.settle();
  edge.wait(59);
  const hit = await edge.fetch("/");
  assert.deepEqual(
    ["x-svc-cache", "age", "cache-control", "cache-status"].map((name) => hit.headers.get(name)),
    ["HIT", "59", "public, max-age=0, must-revalidate", "svc; hit; ttl=1"],
  );
  edge.wait(1);
  assert.equal(await edge.get("/"), "MISS page 2");
  assert.equal(await edge.get("/"), "HIT page 2");
});

for (
  const [headers, isKept, clientField] of [
    [{ "cache-control": "s-maxage=60, max-age=5" }, true, "max-age=5"],
    [{ "cache-control": "public, s-maxage=60, stale-while-revalidate=60" }, true, undefined],
    [{ "cache-control": "max-age=60" }, false, "max-age=60"],
    [{ "cache-control": "public, max-age=60" }, false, "public, max-age=60"],
    [{ "cache-control": "public" }, false, "public"],
    [{ expires: "Thu, 01 Jan 2099 00:00:00 GMT" }, false, null],
    [{ "cache-control": "s-maxage=0" }, false, "s-maxage=0"],
    [{ "cache-control": "s-maxage=soon" }, false, "s-maxage=soon"],
    [{ "cdn-cache-control": "max-age=60" }, true, undefined],
    [{ "cdn-cache-control": "max-age=60", "cache-control": "no-store" }, true, "no-store"],
    [{ "cdn-cache-control": "max-age=60", "cache-control": "private" }, true, "private"],
    [{ "cdn-cache-control": "no-store", "cache-control": SHARED }, false, SHARED],
    [{ "svc-cdn-cache-control": "max-age=60", "cdn-cache-control": "no-store" }, true, undefined],
    [{ "svc-cdn-cache-control": "", "cache-control": SHARED }, true, undefined],
    [{ "cache-control": `${SHARED}, private` }, false, `${SHARED}, private`],
    [{ "cache-control": `${SHARED}, no-store` }, false, `${SHARED}, no-store`],
    [{ "cache-control": `${SHARED}, no-cache` }, false, `${SHARED}, no-cache`],
    [{ "cache-control": SHARED, "set-cookie": "a=1" }, false, SHARED],
    [{ "cache-control": SHARED, vary: "*" }, false, SHARED],
    [{ "cache-control": SHARED, vary: "Cookie" }, false, SHARED],
    [{ "cache-control": SHARED, vary: "X-Forwarded-For" }, false, SHARED],
    [{ "cache-control": SHARED, age: "60" }, false, SHARED],
    [{ "cache-control": SHARED, "content-type": "text/event-stream" }, false, SHARED],
  ] as readonly [Record<string, string>, boolean, string | null | undefined][]
) {
  Deno.test(`${JSON.stringify(headers)} is ${isKept ? "" : "not "}stored`, async () => {
    const edge = declaredEdge(counting(headers));
    const first = await edge.fetch("/");
    await first.text();
    await edge.settle();
    const wanted = clientField === undefined ? "public, max-age=0, must-revalidate" : clientField;
    assert.equal(first.headers.get("cache-control"), wanted);
    assert.equal(first.headers.get("svc-cdn-cache-control"), null);
    assert.equal(
      first.headers.get("cdn-cache-control"),
      headers["cdn-cache-control"] ?? null,
      "the CDN's field is passed on",
    );
    assert.equal((await edge.get("/")).endsWith(isKept ? "page 1" : "page 2"), true);
  });
}

for (
  const [status, isKept] of [
    [200, true],
    [301, true],
    [302, true],
    [404, true],
    [410, true],
    [201, false],
    [400, false],
    [401, false],
    [500, false],
    [503, false],
  ] as const
) {
  Deno.test(`a response with status ${status} is ${isKept ? "" : "not "}stored`, async () => {
    const headers = { "cache-control": SHARED, location: "/elsewhere" };
    const edge = declaredEdge(counting(headers, status as number));
    await edge.get("/");
    assert.match(await edge.get("/"), isKept ? /^HIT page 1/ : /page 2$/);
  });
}

Deno.test("Cache-Status says why a response is not stored", async () => {
  const edge = declaredEdge(counting({ "cache-control": SHARED, "set-cookie": "a=1" }));
  const { headers } = await edge.fetch("/");
  assert.equal(headers.get("x-svc-cache"), "BYPASS");
  assert.match(headers.get("cache-status")!, /detail=set_cookie/);
});

Deno.test("a server that never opts in gets every request, and its responses do not mention a cache", async () => {
  const edge = declaredEdge(counting({ "cache-control": "max-age=60", "cache-tag": "a" }));
  assert.equal(await edge.get("/"), "null page 1");
  assert.equal(await edge.get("/"), "null page 2");
  assert.equal(edge.compute.pages.mayHaveDeclared, false);
});

Deno.test("a 404 that falls through is not stored", async () => {
  const edge = declaredEdge(counting({ "cache-control": SHARED }, 404), { fallthrough: true });
  for (let round = 0; round < 2; round++) {
    assert.equal(await (await edge.fetch("/fallback")).text(), "file");
  }
  assert.equal(edge.store.pages.size, 0);
});

Deno.test("a rule overrides the route's revalidate, which overrides the response's own headers", async () => {
  const headers = { "cache-control": "s-maxage=10", "svc-cache-tag": "a" };
  const at = (type: "exact" | "prefix", value: string) => ({ path: { type, value } });
  const routed = declaredEdge(counting(headers), {
    revalidate: 100,
    rules: [
      { id: "no", condition: at("exact", "/ruled/no"), action: { type: "bypass_cache" } },
      { id: "yes", condition: at("prefix", "/ruled"), action: { type: "cache", ttlSeconds: 1000 } },
    ],
  });
  await routed.get("/");
  routed.wait(99);
  assert.equal(await routed.get("/"), "HIT page 1");
  await routed.get("/ruled");
  const ruled = await routed.fetch("/ruled");
  assert.equal(await ruled.text(), "page 2");
  assert.deepEqual(
    ["x-svc-cache", "cache-control", "svc-cache-tag"].map((name) => ruled.headers.get(name)),
    ["HIT", "s-maxage=10", null],
  );
  assert.match(
    ruled.headers.get("cache-status")!,
    /ttl=10$/,
    "the response's own lifetime applies",
  );
  assert.match(await routed.get("/ruled/no"), /^BYPASS page 3/);
  assert.match(await routed.get("/ruled/no"), /^BYPASS page 4/);
});

Deno.test("revalidate: 0 stores nothing, regardless of the response", async () => {
  const edge = declaredEdge(counting({ "cache-control": SHARED }), { revalidate: 0 });
  assert.equal(await edge.get("/"), "null page 1");
  assert.equal(await edge.get("/"), "null page 2");
});
