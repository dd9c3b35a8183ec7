import assert from "node:assert/strict";
import fc from "fast-check";
import { type GroupLimits, LOCAL_LIMITS } from "./commit_group.ts";
import { sharingCommitter } from "./group_committer.ts";
import { GroupedStore } from "./grouped_store.ts";
import { DenoStore, type Outcome, type RecordStore } from "../../../store/mod.ts";

/** Runs a test with a store, and records how many keys each of the store's transactions changed. */
async function withStores(
  test: (stores: {
    readonly plain: RecordStore;
    readonly grouped: RecordStore;
    /** Versions that the grouped store has stored. */
    readonly versions: () => Promise<Set<string>>;
  }) => Promise<void>,
  limits: GroupLimits = LOCAL_LIMITS,
) {
  const plain = await DenoStore.open(":memory:");
  const under = await DenoStore.open(":memory:");
  const versions = async () =>
    new Set(await Array.fromAsync(under.list({ prefix: [] }), ({ versionstamp }) => versionstamp));
  try {
    await test({
      plain,
      grouped: new GroupedStore(under, sharingCommitter(under, limits)),
      versions,
    });
  } finally {
    plain.close();
    under.close();
  }
}

const bytes = (...values: number[]) => new Uint8Array(values);

Deno.test("GroupedStore() stores commits of ten concurrent writers in one transaction", () =>
  withStores(async ({ grouped, versions }) => {
    const commits = Array.from({ length: 10 }, (_, n) => grouped.set(["k", n], bytes(n)));
    const stamps = (await Promise.all(commits)).map(({ versionstamp }) => versionstamp);
    assert.equal(new Set(stamps).size, 1);
    assert.deepEqual(await versions(), new Set(stamps));
  }));

Deno.test("GroupedStore() groups commits that set the same flag, but not different values", () =>
  withStores(async ({ grouped, versions }) => {
    const write = (n: number, flag: number) =>
      grouped.atomic().set(["k", n], bytes(n)).set(["flag"], bytes(flag)).commit();
    await Promise.all(Array.from({ length: 10 }, (_, n) => write(n, 1)));
    assert.equal((await versions()).size, 1);
    await Promise.all([write(10, 1), write(11, 2), write(12, 1), grouped.delete(["flag"])]);
    assert.equal((await grouped.get(["flag"])).value, null);
    assert.equal((await Array.fromAsync(grouped.list({ prefix: ["k"] }))).length, 13);
    await Promise.all([grouped.delete(["flag"]), write(13, 1), write(14, 1)]);
    assert.deepEqual((await grouped.get(["flag"])).value, bytes(1));
  }));

Deno.test("GroupedStore() lets writers that are waiting for a flush share the next one", () =>
  withStores(async ({ grouped, versions }) => {
    const first = grouped.set(["first"], bytes(0));
    await Promise.resolve();
    await Promise.resolve();
    const others = Array.from({ length: 20 }, (_, n) => grouped.set(["other", n], bytes(n)));
    await Promise.all([first, ...others]);
    assert.equal((await versions()).size, 2);
  }));

Deno.test("GroupedStore() fails only the commit whose check fails, and no others in its transaction", () =>
  withStores(async ({ grouped }) => {
    await grouped.set(["taken"], bytes(1));
    const outcomes = await Promise.all(Array.from({ length: 9 }, (_, n) =>
      grouped.atomic()
        .check({ key: n === 4 ? ["taken"] : ["free", n], versionstamp: null })
        .set(["made", n], bytes(n)).commit()));
    assert.deepEqual(outcomes.map(({ ok }) => ok), outcomes.map((_, n) => n !== 4));
    const made = await Array.fromAsync(grouped.list({ prefix: ["made"] }), ({ key }) => key[1]);
    assert.deepEqual(made, [0, 1, 2, 3, 5, 6, 7, 8]);
  }));

Deno.test("GroupedStore() lets only one of two concurrent writers create a key", () =>
  withStores(async ({ grouped }) => {
    const claim = (value: number) =>
      grouped.atomic().check({ key: ["k"], versionstamp: null }).set(["k"], bytes(value)).commit();
    const [first, second] = await Promise.all([claim(1), claim(2)]);
    assert.deepEqual([first.ok, second.ok], [true, false]);
    assert.deepEqual((await grouped.get(["k"])).value, bytes(1));
  }));

Deno.test("GroupedStore() commits changes to the same keys in the order of the calls", () =>
  withStores(async ({ grouped }) => {
    const writers = [
      grouped.set(["a"], bytes(1)),
      grouped.atomic().set(["a"], bytes(2)).set(["b"], bytes(2)).commit(),
      // This commit must not overtake the previous one, although it could share a transaction with
      // the first.
      grouped.set(["b"], bytes(3)),
    ];
    await Promise.all(writers);
    assert.deepEqual((await grouped.get(["a"])).value, bytes(2));
    assert.deepEqual((await grouped.get(["b"])).value, bytes(3));
  }));

Deno.test("GroupedStore() separates commits that Deno KV would store only in part: counters of another type", () =>
  withStores(async ({ grouped }) => {
    await grouped.set(["no counter"], bytes(1));
    const others = Array.from({ length: 5 }, (_, n) => grouped.set(["other", n], bytes(n)));
    const wrong = grouped.atomic().sum(["no counter"], 1n).commit();
    const right = grouped.atomic().sum(["counter"], 2n).max(["last"], 7n).commit();
    await assert.rejects(wrong, /non-U64/);
    assert.ok((await right).ok);
    await Promise.all(others);
    assert.deepEqual((await grouped.get(["counter"])).value, new Deno.KvU64(2n));
    assert.equal((await Array.fromAsync(grouped.list({ prefix: ["other"] }))).length, 5);
  }));

Deno.test("GroupedStore() accepts an empty commit without a transaction", () =>
  withStores(async ({ grouped, versions }) => {
    const { versionstamp } = await grouped.set(["k"], bytes(1));
    assert.deepEqual(await grouped.atomic().commit(), { ok: true, versionstamp });
    assert.deepEqual(await versions(), new Set([versionstamp]));
  }));

Deno.test("GroupedStore() respects the store's maximum number of checks per transaction", () =>
  withStores(async ({ grouped, versions }) => {
    const commits = Array.from(
      { length: 25 },
      (_, n) =>
        grouped.atomic().check({ key: ["k", n], versionstamp: null })
          .set(["k", n], bytes(n)).commit(),
    );
    for (const { ok } of await Promise.all(commits)) assert.ok(ok);
    assert.equal((await versions()).size, 3);
  }, { ...LOCAL_LIMITS, checks: 10 }));

Deno.test("GroupedStore() refuses commits while too many are waiting, and accepts them again afterwards", () =>
  withStores(async ({ grouped }) => {
    const large = new Uint8Array(60_000);
    const commits = Array.from({ length: 1300 }, (_, n) => grouped.set(["k", n], large));
    const outcomes = await Promise.allSettled(commits);
    const refused = outcomes.filter((each) => each.status === "rejected");
    assert.ok(refused.length > 0 && refused.length < 400, String(refused.length));
    for (const { reason } of refused) {
      assert.match(String(reason), /are waiting for the disk. Try again/);
    }
    await grouped.set(["after"], bytes(1));
  }));

Deno.test("GroupedStore() fails all writers of a closed store", () =>
  withStores(async ({ grouped }) => {
    const under = await DenoStore.open(":memory:");
    const closed = new GroupedStore(under, sharingCommitter(under, LOCAL_LIMITS));
    under.close();
    const outcomes = await Promise.allSettled([closed.set(["a"], bytes(1)), closed.delete(["b"])]);
    assert.deepEqual(outcomes.map(({ status }) => status), ["rejected", "rejected"]);
    await grouped.set(["another"], bytes(1));
  }));

/** One commit in a random program over four keys. It checks the versions that the setup stored. */
const commit = fc.record({
  checks: fc.uniqueArray(
    fc.record({ key: fc.nat(3), expects: fc.constantFrom("setup", "absent", "stale") }),
    { maxLength: 2, selector: ({ key }) => key },
  ),
  changes: fc.array(
    fc.record({
      key: fc.nat(3),
      type: fc.constantFrom("set", "set", "set", "delete", "sum", "too large", "bad key"),
      value: fc.nat(255),
    }),
    { maxLength: 3 },
  ),
  /** Number of event loop turns before the commit. */
  pause: fc.constantFrom("none", "none", "microtask", "turn"),
});
type Commit = typeof commit extends fc.Arbitrary<infer T> ? T : never;

/** Initially, keys 0 and 1 contain bytes, key 2 contains a counter, and key 3 does not exist. */
async function setUp(kv: RecordStore): Promise<readonly (string | null)[]> {
  const stamps = [];
  for (const n of [0, 1]) stamps.push((await kv.set(["k", n], bytes(n))).versionstamp);
  stamps.push((await kv.set(["k", 2], new Deno.KvU64(1n))).versionstamp);
  return [...stamps, null];
}

function operationOf(
  kv: RecordStore,
  { checks, changes }: Commit,
  setup: readonly (string | null)[],
) {
  const operation = kv.atomic();
  for (const { key, expects } of checks) {
    const versionstamp = expects === "absent"
      ? null
      : expects === "setup"
      ? setup[key]!
      : "0".repeat(19) + "1";
    operation.check({ key: ["k", key], versionstamp });
  }
  for (const { key, type, value } of changes) {
    if (type === "set") operation.set(["k", key], bytes(value));
    else if (type === "delete") operation.delete(["k", key]);
    else if (type === "sum") operation.sum(["k", key], BigInt(value));
    else if (type === "too large") operation.set(["k", key], new Uint8Array(70_000));
    else operation.delete(["k", {} as string]);
  }
  return operation;
}

const outcomeOf = (commit: Promise<Outcome>) =>
  commit.then(({ ok }) => ok ? "stored" : "check failed", (error) => `failed: ${error.message}`);

const contentsOf = (kv: RecordStore) =>
  Array.fromAsync(kv.list({ prefix: [] }), ({ key, value }) => [key, value]);

Deno.test("GroupedStore() gives concurrent commits the same outcomes as sequential ones", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(commit, { maxLength: 12 }),
      (commits) =>
        withStores(async ({ plain, grouped }) => {
          const [before, setup] = [await setUp(plain), await setUp(grouped)];
          const expected: string[] = [];
          for (const each of commits) {
            expected.push(await outcomeOf(operationOf(plain, each, before).commit()));
          }
          const running: Promise<string>[] = [];
          for (const each of commits) {
            if (each.pause === "microtask") {
              await Promise.resolve();
            }
            if (each.pause === "turn") await new Promise((resolve) => setTimeout(resolve));
            running.push(outcomeOf(operationOf(grouped, each, setup).commit()));
          }
          assert.deepEqual(await Promise.all(running), expected);
          assert.deepEqual(await contentsOf(grouped), await contentsOf(plain));
        }),
    ),
    { numRuns: 300 },
  );
});
