import assert from "node:assert/strict";
import fc from "fast-check";
import { LOCAL_LIMITS } from "./commit_group.ts";
import { sharingCommitter } from "./group_committer.ts";
import { GroupedStore } from "./grouped_store.ts";
import { sharedReads } from "./shared_reads.ts";
import {
  DenoStore,
  type MaybeEntry,
  type RecordKey,
  type RecordStore,
  StoreLayer,
} from "../../../store/mod.ts";

class CountingStore extends StoreLayer {
  readonly #sizes: number[];

  constructor(under: RecordStore, sizes: number[]) {
    super(under);
    this.#sizes = sizes;
  }

  override getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: RecordKey }],
  ): Promise<{ [K in keyof T]: MaybeEntry<T[K]> }> {
    this.#sizes.push(keys.length);
    return super.getMany<T>(keys);
  }
}

/** Wraps a store, and records the number of keys in each of its read requests. */
async function withReads(
  test: (kv: RecordStore, get: RecordStore["get"], sizes: readonly number[]) => Promise<void>,
) {
  using kv = await DenoStore.open(":memory:");
  for (let n = 0; n < 50; n++) await kv.set(["k", n], n);
  const sizes: number[] = [];
  const counting = new CountingStore(kv, sizes);
  await test(kv, sharedReads(counting), sizes);
}

Deno.test("sharedReads() serves many reads with few requests", () =>
  withReads(async (_, get, sizes) => {
    const entries = await Promise.all(Array.from({ length: 45 }, (_, n) => get(["k", n])));
    assert.deepEqual(
      entries.map(({ key, value }) => [key[1], value]),
      entries.map((_, n) => [n, n]),
    );
    assert.ok(sizes.length <= 6, `${sizes.length} requests`);
    assert.equal(sizes.reduce((sum, size) => sum + size), 45);
  }));

Deno.test("sharedReads() does not fail a read because of another read's key", () =>
  withReads(async (_, get) => {
    const reads = [get(["k", 1]), get([{} as string]), get(["x".repeat(3000)]), get(["k", 2])];
    const outcomes = await Promise.allSettled(reads);
    assert.deepEqual(outcomes.map(({ status }) => status), [
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
    ]);
  }));

Deno.test("sharedReads() fails every read of a closed store", async () => {
  const kv = await DenoStore.open(":memory:");
  const get = sharedReads(kv);
  kv.close();
  const outcomes = await Promise.allSettled([get(["a"]), get(["b"])]);
  assert.deepEqual(outcomes.map(({ status }) => status), ["rejected", "rejected"]);
});

Deno.test("a read sees all commits acknowledged before it, even if other commits are waiting", async () => {
  const program = fc.array(fc.record({ key: fc.nat(2), yields: fc.boolean() }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(program, async (steps) => {
      using under = await DenoStore.open(":memory:");
      const kv = new GroupedStore(under, sharingCommitter(under, LOCAL_LIMITS));
      const running = steps.map(async ({ key, yields }, step) => {
        if (yields) await new Promise((resolve) => setTimeout(resolve));
        await kv.set(["k", key], new Uint8Array([step]));
        const { value } = await kv.get<Uint8Array>(["k", key]);
        // Steps that yield are committed after all steps that do not.
        const order = (index: number) => (steps[index]!.yields ? steps.length : 0) + index;
        assert.ok(order(value![0]!) >= order(step));
      });
      await Promise.all(running);
    }),
    { numRuns: 100 },
  );
});
