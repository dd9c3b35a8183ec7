import assert from "node:assert/strict";
import { ok, TestCache } from "./_test_origin.ts";

const TARGETED = { "cdn-cache-control": "max-age=10", "cache-control": "max-age=1000" };

Deno.test("a rule's cache obeys the targeted field instead of Cache-Control and Expires", async () => {
  const world = new TestCache((_, count) =>
    ok(`body ${count}`, { ...TARGETED, expires: "Thu, 01 Jan 2099 00:00:00 GMT" })
  );
  await world.read();
  world.now += 9_000;
  assert.equal((await world.read()).text, "body 1");
  world.now += 2_000;
  const later = await world.read();
  assert.deepEqual([later.text, later.result], ["body 2", "MISS"]);
  assert.equal(later.header("cdn-cache-control"), "max-age=10");
  assert.equal(later.header("cache-control"), "max-age=1000");
});

Deno.test("a targeted field without a lifetime leaves the lifetime to the rule", async () => {
  const world = new TestCache(() => ok("body", { ...TARGETED, "cdn-cache-control": "public" }));
  const first = await world.read();
  assert.match(first.header("cache-status")!, /stored/);
  world.now += 101_000;
  assert.equal((await world.read()).result, "MISS");
});

Deno.test("a targeted no-store is obeyed regardless of Cache-Control", async () => {
  const world = new TestCache(() =>
    ok("body", { ...TARGETED, "svc-cdn-cache-control": "no-store" })
  );
  await world.read();
  assert.equal((await world.read()).result, "MISS");
});

Deno.test("clients do not get the fields that are only for this cache", async () => {
  const fields = {
    "svc-cdn-cache-control": "max-age=10",
    "svc-cache-tag": "a",
    "x-next-cache-tags": "b",
    "cache-tag": "c",
  };
  const world = new TestCache(() => ok("body", fields));
  for (const result of ["MISS", "HIT"]) {
    const answer = await world.read();
    assert.equal(answer.result, result);
    for (const name of Object.keys(fields)) {
      assert.equal(answer.header(name), name === "cache-tag" ? "c" : undefined, name);
    }
  }
  const bypassed = await world.read({}, "bypass");
  assert.equal(bypassed.header("svc-cdn-cache-control"), undefined);
});

Deno.test("a 304 keeps the directives of a targeted field", async () => {
  const world = new TestCache((seen) =>
    seen.headers["if-none-match"] === undefined
      ? ok("body", { "svc-cdn-cache-control": "max-age=10", etag: '"1"' })
      : ok(null, { etag: '"1"' }, 304)
  );
  await world.read();
  world.now += 11_000;
  assert.equal((await world.read()).result, "HIT");
  world.now += 9_000;
  assert.equal((await world.read()).result, "HIT");
  world.now += 2_000;
  assert.equal(world.seen.length, 2);
});

const TAGGED = { "cache-tag": "posts, a", "svc-cache-tag": "b" };

for (
  const [tag, purged] of [["posts", 1], ["a", 1], ["b", 1], ["post", 0], ["posts, a", 0]] as const
) {
  Deno.test(`purge() of the tag "${tag}" returns ${purged}`, async () => {
    const world = new TestCache(() => ok("body", TAGGED));
    await world.read();
    assert.equal(world.cache.purge("other", { type: "tag", tag }), 0);
    assert.equal(world.cache.purge("dep", { type: "tag", tag }), purged);
    assert.equal(world.cache.size, 1 - purged);
    assert.equal(world.cache.purge("dep", { type: "tag", tag }), 0);
  });
}

Deno.test("a response that was requested before its tag was purged is not stored", async () => {
  for (const soft of [false, true]) {
    const gate = Promise.withResolvers<void>();
    const world = new TestCache(async () => {
      await gate.promise;
      return ok("old", TAGGED);
    });
    const asking = world.read();
    await Promise.resolve();
    world.cache.purge("dep", { type: "tag", tag: "posts" }, { soft });
    gate.resolve();
    await asking;
    assert.equal(world.cache.size, 0);
  }
});

Deno.test("a response with too many tags is reported and not stored", async () => {
  const world = new TestCache(() =>
    ok("body", { "cache-tag": Array.from({ length: 129 }, (_, index) => index).join(",") })
  );
  assert.match((await world.read()).header("cache-status")!, /detail=tags/);
  assert.equal(world.cache.size, 0);
});

Deno.test("a soft purge serves the stale response while one request refreshes it", async () => {
  const world = new TestCache((_, count) => ok(`body ${count}`, TAGGED));
  const rule = { swrSeconds: 60 };
  await world.read({}, rule);
  assert.equal(world.cache.purge("dep", { type: "tag", tag: "a" }, { soft: true }), 1);
  const stale = await world.read({}, rule);
  assert.deepEqual([stale.result, stale.text], ["STALE", "body 1"]);
  const fresh = await world.read({}, rule);
  assert.deepEqual([fresh.result, fresh.text], ["HIT", "body 2"]);
});

Deno.test("a soft purge of a response that must not be served stale refreshes it first", async () => {
  const world = new TestCache((_, count) => ok(`body ${count}`));
  await world.read();
  world.cache.purge("dep", { type: "all" }, { soft: true });
  const next = await world.read();
  assert.deepEqual([next.result, next.text], ["MISS", "body 2"]);
});

Deno.test("stale-while-revalidate counts from a soft purge, not from the end of the lifetime", async () => {
  const world = new TestCache((_, count) => ok(`body ${count}`));
  const rule = { ttlSeconds: 10, swrSeconds: 5 };
  await world.read({}, rule);
  world.cache.purge("dep", { type: "path", path: "/page" }, { soft: true });
  world.now += 6_000;
  assert.equal((await world.read({}, rule)).result, "MISS");
});
