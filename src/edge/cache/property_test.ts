/** Invariants of the cache that hold for any sequence of requests. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { cacheKey } from "./cache_key.ts";
import type { CacheRule } from "./types.ts";
import { cacheRequest, ok, RULE, testBody, TestCache, type TestRequest } from "./_test_origin.ts";

const word = fc.constantFrom("", "a", "b", "1:a", "2:ab", "a;geo", "-");

const requestArbitrary = fc.record({
  host: fc.constantFrom("a.test", "b.test"),
  deploymentId: word,
  path: word,
  query: word,
  country: fc.constantFrom(undefined, "DE", "FR"),
  beta: fc.option(word, { nil: undefined }),
  plan: fc.option(fc.constantFrom("x", "y"), { nil: undefined }),
  language: fc.option(fc.constantFrom("de", "en"), { nil: undefined }),
});
type Described = typeof requestArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

const RULE_BY_ALL: CacheRule = {
  ...RULE,
  vary: ["geo", "header", "cookie"],
  varyNames: { headers: ["x-beta"], cookies: ["plan"], query: [] },
};

function asRequest(described: Described): TestRequest {
  const { host, deploymentId, path, query, country, beta, plan, language } = described;
  return {
    host,
    deploymentId,
    url: `/${path}?${query}`,
    ...(country === undefined ? {} : { country }),
    headers: {
      ...(beta === undefined ? {} : { "x-beta": beta }),
      ...(plan === undefined ? {} : { cookie: `plan=${plan}` }),
      ...(language === undefined ? {} : { "accept-language": language }),
    },
  };
}

Deno.test("cacheKey() differs whenever one of its parts differs", () => {
  const keyed = ({ language: _, ...rest }: Described) => JSON.stringify(Object.entries(rest));
  // The second request differs only slightly, which would expose a key that confuses its parts.
  const change = fc.record({ deploymentId: word, path: word, query: word, beta: word }, {
    requiredKeys: [],
  });
  const property = fc.property(requestArbitrary, change, (a, change) => {
    const b = { ...a, ...change };
    const same = cacheKey(cacheRequest(asRequest(a)), RULE_BY_ALL) ===
      cacheKey(cacheRequest(asRequest(b)), RULE_BY_ALL);
    assert.equal(same, keyed(a) === keyed(b));
  });
  fc.assert(property, { numRuns: 1_000 });
});

Deno.test("handle() never serves a response for another key or variant", async () => {
  const steps = fc.array(fc.record({ asked: requestArbitrary, wait: fc.nat(90) }), {
    maxLength: 25,
  });
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.integer({ min: 3_000, max: 60_000 }),
      async (steps, capacityBytes) => {
        let current = "";
        const headers = {
          vary: "accept-language",
          "cache-control": "max-age=60, stale-while-revalidate=60",
        };
        const test = new TestCache(() => ok(current, headers), { capacityBytes });
        for (const { asked, wait } of steps) {
          test.now += wait * 1000;
          current = JSON.stringify(Object.entries(asked));
          assert.equal((await test.read(asRequest(asked), RULE_BY_ALL)).text, current);
        }
      },
    ),
  );
});

Deno.test("handle() stays within its memory limit, for all requests, purges and half-read responses", async () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant("body"), path: fc.nat(30), size: fc.nat(9_000) }),
    fc.record({ type: fc.constant("stream"), path: fc.nat(30), size: fc.nat(9_000) }),
    fc.record({ type: fc.constant("leave"), path: fc.nat(30), size: fc.nat(9_000) }),
    fc.record({ type: fc.constant("purge"), path: fc.nat(30), size: fc.constant(0) }),
  );
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const capacityBytes = 24_000;
    const test = new TestCache(() => ok("x"), { capacityBytes, maxEntryBytes: 6_000 });
    for (const { type, path, size } of steps) {
      const body = testBody();
      test.respond = () => ok(type === "body" ? "x".repeat(size) : body.stream);
      if (type === "purge") test.cache.purge("dep", { type: "path", path: `/${path}` });
      else {
        const answer = await test.ask({
          url: `/${path}`,
          headers: { "cache-control": "max-stale" },
        });
        for (let sent = 0; sent < size && type !== "body"; sent += 1_000) {
          if (!body.cancelled) body.write("x".repeat(1_000));
        }
        if (type === "leave" && answer.body instanceof ReadableStream) await answer.body.cancel();
        if (!body.cancelled) body.close();
        if (type !== "leave") await new Response(answer.body).arrayBuffer();
        await Promise.all(test.work.splice(0));
      }
      assert.ok(test.cache.byteLength <= capacityBytes, `${test.cache.byteLength} bytes`);
    }
    test.cache.purge("dep", { type: "all" });
    assert.deepEqual([test.cache.size, test.cache.byteLength], [0, 0], "nothing is left over");
  }));
});

Deno.test("handle() keeps responses that are used and evicts others", async () => {
  const test = new TestCache(() => ok("x".repeat(1_000)), { capacityBytes: 25_000 });
  for (let index = 0; index < 200; index++) {
    await test.read({ url: "/hot" });
    await test.read({ url: `/cold/${index}` });
  }
  assert.equal((await test.read({ url: "/hot" })).result, "HIT");
  assert.equal((await test.read({ url: "/cold/0" })).result, "MISS");
  assert.equal(test.seen.filter(({ how }) => how === "for_cache").length, 202);
});

Deno.test("handle() bounds the variants of one URI", async () => {
  const test = new TestCache(() => ok("x", { vary: "x-a" }));
  for (let index = 0; index < 500; index++) await test.read({ headers: { "x-a": String(index) } });
  assert.equal(test.cache.size, 32);
  assert.equal((await test.read({ headers: { "x-a": "499" } })).result, "HIT");
});
