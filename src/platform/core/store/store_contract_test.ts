/** Tests the behavior that all stores share: embedded, `denokv`, and PostgreSQL. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { until } from "../../../lib/_test_until.ts";
import { NO_POSTGRES, TestPg } from "./_test_pg.ts";
import { LOCAL_LIMITS } from "./commit_group.ts";
import { sharingCommitter } from "./group_committer.ts";
import { GroupedStore } from "./grouped_store.ts";
import { openKv } from "./open_kv.ts";
import { wrapPg } from "./open_pg_kv.ts";
import { PortableStore } from "./portable_store.ts";
import {
  DenoStore,
  type Entry,
  Lease,
  LeaseLostError,
  type ListOptions,
  type ListSelector,
  type RecordStore,
} from "../../../store/mod.ts";

interface Opened {
  readonly kv: RecordStore;
  close(): void | Promise<void>;
}

/** Started by the first test that needs the server. */
let server: Promise<TestPg> | undefined;
Deno.test.afterAll(async () => void await (await server)?.[Symbol.asyncDispose]());

async function openEmbedded(): Promise<Opened> {
  const kv = await DenoStore.open(":memory:");
  const wrapped = new PortableStore(new GroupedStore(kv, sharingCommitter(kv, LOCAL_LIMITS)));
  return { kv: wrapped, close: () => kv.close() };
}

async function openPostgres(): Promise<Opened> {
  const store = await (await (server ??= TestPg.start())).open();
  return { kv: wrapPg(store), close: () => store.close() };
}

/**
 * The URL of a `denokv` server whose data may be deleted. The server's token must be in
 * `DENO_KV_ACCESS_TOKEN`. To install the server, run `cargo install denokv --locked`.
 */
const DENOKV = Deno.env.get("SVC_TEST_DENOKV_URL");

const STORES: Readonly<
  Record<string, { readonly ignore: boolean; readonly open: () => Promise<Opened> }>
> = {
  embedded: { ignore: false, open: openEmbedded },
  PostgreSQL: { ignore: NO_POSTGRES !== undefined, open: openPostgres },
  denokv: {
    ignore: DENOKV === undefined,
    async open() {
      const kv = await openKv(DENOKV!, {});
      // All tests share the server's database.
      for await (const { key } of kv.list({ prefix: [] })) await kv.delete(key);
      return { kv, close: () => kv.close() };
    },
  },
};

type Contract = Readonly<Record<string, (kv: RecordStore) => Promise<void>>>;

const bytes = (...values: number[]) => new Uint8Array(values);

const keysOf = (list: AsyncIterable<Entry>) => Array.fromAsync(list, ({ key }) => key.at(-1));

const CONTRACT: Contract = {
  "returns stored values of every type": async (kv) => {
    const values = [{ a: [1, null, "ü"] }, "text", 7, true, null, bytes(1, 0, 255), bytes()];
    for (const [index, value] of values.entries()) await kv.set(["v", index], value);
    for (const [index, value] of values.entries()) {
      const entry = await kv.get(["v", index]);
      assert.deepEqual([entry.key, entry.value], [["v", index], value]);
      assert.match(entry.versionstamp!, /^[0-9a-f]{20}$/);
    }
    const set = new Map([["when", new Date(0)]]);
    await kv.set(["v", "structured"], set);
    assert.deepEqual((await kv.get(["v", "structured"])).value, set);
  },

  "reads several keys in order, including missing and repeated ones": async (kv) => {
    await kv.set(["a"], 1);
    await kv.set(["b"], 2);
    const entries = await kv.getMany([["b"], ["none"], ["a"], ["b"]]);
    assert.deepEqual(entries.map(({ value }) => value), [2, null, 1, 2]);
    assert.deepEqual(entries[1], { key: ["none"], value: null, versionstamp: null });
  },

  "gives later commits greater version strings": async (kv) => {
    const stamps: string[] = [];
    for (let n = 0; n < 20; n++) stamps.push((await kv.set(["k"], n)).versionstamp);
    assert.deepEqual(stamps, [...new Set(stamps)].sort());
    assert.equal((await kv.get(["k"])).versionstamp, stamps.at(-1));
  },

  "commits a whole operation, or nothing if a check fails": async (kv) => {
    const { versionstamp } = await kv.set(["k"], 1);
    const stale = await kv.atomic().check({ key: ["k"], versionstamp: null }).set(["k"], 2)
      .set(["other"], 2).commit();
    assert.deepEqual(stale, { ok: false });
    const fresh = await kv.atomic().check({ key: ["k"], versionstamp })
      .check({ key: ["other"], versionstamp: null }).delete(["k"]).set(["other"], 3).commit();
    assert.ok(fresh.ok);
    assert.equal((await kv.get(["k"])).versionstamp, null);
    assert.equal((await kv.get(["other"])).versionstamp, fresh.versionstamp);
  },

  "lets only one of many callers claim the same key at once": async (kv) => {
    const claims = Array.from(
      { length: 20 },
      (_, n) => kv.atomic().check({ key: ["k"], versionstamp: null }).set(["k"], n).commit(),
    );
    const winners = (await Promise.all(claims)).filter(({ ok }) => ok);
    assert.equal(winners.length, 1);
  },

  "increments counters, but refuses to increment other values": async (kv) => {
    const count = (n: bigint) => kv.atomic().sum(["n"], n).max(["most"], n);
    for (const n of [5n, 9n, 2n]) assert.ok((await count(n).commit()).ok);
    const values = await kv.getMany([["n"], ["most"]]);
    assert.deepEqual(values.map(({ value }) => value), [
      new Deno.KvU64(16n),
      new Deno.KvU64(9n),
    ]);
    await kv.atomic().sum(["n"], 2n ** 64n - 10n).commit();
    assert.deepEqual((await kv.get(["n"])).value, new Deno.KvU64(6n));
    await kv.set(["text"], "no counter");
    // A remote store does not report this as a TypeError.
    await assert.rejects(kv.atomic().sum(["text"], 1n).commit(), Error);
    assert.equal((await kv.get(["text"])).value, "no counter");
  },

  "lists a prefix in key order, from and to a position, and backwards": async (kv) => {
    for (const n of [10, 2, 1, 30]) await kv.set(["p", n], n);
    for (const key of [["p"], ["pa", 1], ["o", 1]]) await kv.set(key, "outside");
    const list = (selector: ListSelector, options?: ListOptions) =>
      keysOf(kv.list(selector, options));
    const prefix = ["p"];
    assert.deepEqual(await list({ prefix }), [1, 2, 10, 30]);
    assert.deepEqual(await list({ prefix }, { reverse: true, limit: 3 }), [30, 10, 2]);
    assert.deepEqual(await list({ prefix, start: ["p", 2] }), [2, 10, 30]);
    assert.deepEqual(await list({ prefix, end: ["p", 10] }), [1, 2]);
    assert.deepEqual(await list({ prefix, end: ["p", 10] }, { reverse: true }), [2, 1]);
    assert.deepEqual(await list({ start: ["p", 2], end: ["pa"] }, { batchSize: 1 }), [2, 10, 30]);
    assert.deepEqual(await list({ prefix: ["none"] }), []);
  },

  "continues a listing after any of its keys, in both directions": async (kv) => {
    for (let n = 0; n < 7; n++) await kv.set(["c", n], n);
    for (const batchSize of [1, 3, 7]) {
      for (const limit of [1, 5, 7, 20]) {
        const all = [0, 1, 2, 3, 4, 5, 6];
        for (const reverse of [false, true]) {
          const found = await keysOf(kv.list({ prefix: ["c"] }, { limit, batchSize, reverse }));
          assert.deepEqual(found, (reverse ? all.toReversed() : all).slice(0, limit));
        }
      }
    }
  },

  "commits under a lease while the lease is held, and refuses afterwards": async (kv) => {
    const { versionstamp } = await kv.set(["lease"], "a");
    const lease = Lease.held("housekeeping", kv, { key: ["lease"], versionstamp });
    await lease.requireHeld();
    assert.ok((await kv.atomic().set(["k"], 1).commit(lease)).ok);
    const stale = kv.atomic().check({ key: ["k"], versionstamp: null }).set(["k"], 2);
    assert.deepEqual(await stale.commit(lease), { ok: false });
    await kv.set(["lease"], "b");
    await assert.rejects(kv.atomic().set(["k"], 3).commit(lease), LeaseLostError);
    await assert.rejects(kv.atomic().commit(lease), LeaseLostError);
    await assert.rejects(lease.requireHeld(), LeaseLostError);
    assert.equal((await kv.get(["k"])).value, 1);
    assert.ok((await kv.atomic().set(["k"], 4).commit(Lease.ofSoleNode("housekeeping"))).ok);
  },

  "lists more than one batch while others write": async (kv) => {
    for (let at = 0; at < 1200; at += 100) {
      const operation = kv.atomic();
      for (let n = at; n < at + 100; n++) operation.set(["many", n], n);
      await operation.commit();
    }
    const seen: unknown[] = [];
    for await (const { key } of kv.list({ prefix: ["many"] }, { batchSize: 200 })) {
      seen.push(key[1]);
      if (key[1] === 300) await kv.delete(["many", 1000]);
    }
    assert.deepEqual(seen, Array.from({ length: 1200 }, (_, n) => n).filter((n) => n !== 1000));
  },

  "keeps unexpired values": async (kv) => {
    await kv.set(["long"], 1, { expireIn: 60_000 });
    await kv.atomic().set(["renewed"], 1, { expireIn: 1 }).set(["renewed"], 2).commit();
    assert.deepEqual(await keysOf(kv.list({ prefix: [] })), ["long", "renewed"]);
  },

  "omits expired values": async (kv) => {
    await kv.set(["short"], 1, { expireIn: 1 });
    await kv.set(["long"], 1, { expireIn: 60_000 });
    await kv.atomic().set(["renewed"], 1, { expireIn: 1 }).set(["renewed"], 2).commit();
    await until(async () => (await kv.get(["short"])).versionstamp === null);
    await until(async () => (await keysOf(kv.list({ prefix: [] }))).join() === "long,renewed");
    const again = await kv.atomic().check({ key: ["short"], versionstamp: null })
      .set(["short"], 2).commit();
    assert.ok(again.ok);
  },

  "refuses values that are too large, and stores others": async (kv) => {
    await kv.set(["k"], new Uint8Array(65_536));
    await assert.rejects(kv.set(["k"], new Uint8Array(65_537)), { name: "TypeError" });
    await kv.set(["k", "x".repeat(2000)], 1);
    await assert.rejects(kv.set(["k", "x".repeat(2050)], 1), { name: "TypeError" });
    assert.equal(((await kv.get(["k"])).value as Uint8Array).byteLength, 65_536);
  },
};

for (const [name, { ignore, open }] of Object.entries(STORES)) {
  for (const [behavior, test] of Object.entries(CONTRACT)) {
    Deno.test({
      name: `a store (${name}) ${behavior}`,
      // SQLite stores remove expired records only after some minutes.
      ignore: ignore || (name !== "PostgreSQL" && behavior === "omits expired values"),
      async fn() {
        const { kv, close } = await open();
        try {
          await test(kv);
        } finally {
          await close();
        }
      },
    });
  }
}

/** A step in a random program that uses only a few keys. */
const step = fc.record({
  key: fc.nat(3),
  type: fc.constantFrom("set", "set", "delete", "sum", "claim", "replace"),
  value: fc.nat(255),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Starts all steps at the same time and in order, and returns the results. */
async function run(kv: RecordStore, steps: readonly Step[]): Promise<unknown[]> {
  const { versionstamp } = await kv.set(["k", 0], bytes(0));
  const outcomes = await Promise.all(steps.map(({ key: n, type, value }) => {
    const key = ["k", n];
    const operation = kv.atomic();
    if (type === "claim") operation.check({ key, versionstamp: null });
    if (type === "replace") operation.check({ key: ["k", 0], versionstamp });
    if (type === "delete") operation.delete(key);
    else if (type === "sum") operation.sum(["n", n], BigInt(value));
    else operation.set(key, bytes(value));
    return operation.commit().then(({ ok }) => ok);
  }));
  return [
    outcomes,
    await Array.fromAsync(kv.list({ prefix: [] }), ({ key, value }) => [key, value]),
  ];
}

async function clear(kv: RecordStore): Promise<void> {
  for await (const { key } of kv.list({ prefix: [] })) await kv.delete(key);
}

Deno.test({
  name: "a store (PostgreSQL) returns the same as an embedded one for any sequence of steps",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    const [embedded, shared] = [await openEmbedded(), await openPostgres()];
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const expected = await run(embedded.kv, steps);
          assert.deepEqual(await run(shared.kv, steps), expected);
          for (const { kv } of [embedded, shared]) await clear(kv);
        }),
        { numRuns: 40 },
      );
    } finally {
      await embedded.close();
      await shared.close();
    }
  },
});
