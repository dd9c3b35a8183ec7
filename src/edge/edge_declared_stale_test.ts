/**
 * Tests pages that declare themselves cacheable: when they are stale, and what happens after a
 * restart.
 */
import assert from "node:assert/strict";
import { MemoryIsrStore } from "./_test_compute.ts";
import { counting, declaredEdge, SHARED, START } from "./_test_declared.ts";

Deno.test("a stale page is served immediately, and refreshed by one request without the client's headers", async () => {
  const edge = declaredEdge(
    counting({ "cache-control": "s-maxage=10, stale-while-revalidate=60", vary: "X-Shop" }),
  );
  const init = { headers: { cookie: "a=1", "x-shop": "5", "accept-language": "de" } };
  await edge.get("/", init);
  edge.wait(11);
  const many = await Promise.all(Array.from({ length: 10 }, () => edge.get("/", init)));
  assert.ok(many.every((answer) => /^(STALE page 1|HIT page 2)$/.test(answer)), String(many));
  assert.equal(edge.compute.asked.length, 2);
  const sent = Object.fromEntries(edge.compute.asked[1]!.headers);
  assert.deepEqual([sent.cookie, sent["accept-language"], sent["x-forwarded-for"]], [
    undefined,
    undefined,
    undefined,
  ]);
  assert.equal(sent["x-shop"], "5");
  edge.wait(71);
  assert.equal(await edge.get("/", init), "MISS page 3");
});

Deno.test("an expired page is fetched once for many requests", async () => {
  const edge = declaredEdge(counting({ "cache-control": SHARED }));
  await edge.get("/");
  edge.wait(61);
  const many = await Promise.all(Array.from({ length: 10 }, () => edge.get("/")));
  assert.equal(edge.compute.asked.length, 2, String(many));
});

Deno.test("stale-while-revalidate without seconds has no limit", async () => {
  const edge = declaredEdge(counting({ "cache-control": "s-maxage=1, stale-while-revalidate" }));
  await edge.get("/");
  edge.wait(86_400);
  assert.equal(await edge.get("/"), "STALE page 1");
});

for (
  const [field, afterSeconds, expected] of [
    ["s-maxage=10, stale-if-error=600", 300, "STALE"],
    ["s-maxage=10, stale-if-error=600", 700, "null"],
    ["s-maxage=10, stale-while-revalidate=600", 300, "STALE"],
    ["s-maxage=10", 300, "null"],
    ["s-maxage=10, stale-if-error=600, must-revalidate", 300, "null"],
  ] as const
) {
  for (const failure of ["crashed", "error"] as const) {
    Deno.test(`${field}: ${expected} after ${afterSeconds} s on failure (${failure})`, async () => {
      let isBroken = false;
      const edge = declaredEdge(() => {
        if (isBroken) return failure === "crashed" ? failure : new Response("x", { status: 503 });
        return new Response("page", { headers: { "cache-control": field } });
      });
      await edge.get("/");
      isBroken = true;
      edge.wait(afterSeconds);
      const { status, headers } = await edge.fetch("/");
      if (expected === "STALE") {
        assert.deepEqual([status, headers.get("x-svc-cache")], [200, "STALE"]);
      } else assert.ok(status >= 500);
    });
  }
}

Deno.test("a page that Next.js served stale is fetched again on the next request", async () => {
  let state = "STALE";
  const edge = declaredEdge(() =>
    new Response(state, {
      headers: {
        "cache-control": "s-maxage=60, stale-while-revalidate=600",
        "x-nextjs-cache": state,
      },
    })
  );
  assert.equal(await edge.get("/"), "MISS STALE");
  state = "HIT";
  assert.equal(await edge.get("/"), "STALE STALE");
  assert.equal(await edge.get("/"), "HIT HIT");
});

Deno.test("pages survive a restart with their lifetimes, tags and variants", async () => {
  const store = new MemoryIsrStore();
  const headers = {
    "cache-control": "s-maxage=100, stale-while-revalidate=100",
    vary: "x-shop",
    "svc-cache-tag": "posts",
  };
  const before = declaredEdge(counting(headers), { store });
  const as = (edge: typeof before, shop: string) => edge.get("/", { headers: { "x-shop": shop } });
  await as(before, "1");
  await as(before, "2");
  const after = declaredEdge(() => new Response("new", { headers }), {
    store,
    startAt: START + 50_000,
  });
  assert.equal(await as(after, "2"), "HIT page 2");
  assert.equal(await as(after, "1"), "HIT page 1");
  assert.equal(await as(after, "3"), "MISS new");
  after.wait(60);
  assert.equal(await as(after, "1"), "STALE page 1");
  await after.compute.pages.revalidate([{ type: "tag", tag: "posts" }], {});
  const third = declaredEdge(() => new Response("third", { headers }), {
    store,
    startAt: START + 120_000,
  });
  assert.equal(await as(third, "2"), "MISS third");
});

Deno.test("a page with a lifetime below a minute is stored only in memory", async () => {
  const edge = declaredEdge(counting({ "cache-control": "s-maxage=5" }));
  await edge.get("/");
  assert.equal(edge.store.pages.size, 0);
  assert.equal(await edge.get("/"), "HIT page 1");
});
