import assert from "node:assert/strict";
import { DenoStore } from "./deno_store.ts";
import { Lease, type LeasedStore, LeaseLostError, type Led } from "./lease.ts";

Deno.test("LeasedStore requires a lease for each commit", async () => {
  using kv = await DenoStore.open(":memory:");
  const store: LeasedStore = kv;
  const { versionstamp } = await kv.set(["lease"], "a");
  const lease = Lease.held("events", kv, { key: ["lease"], versionstamp });
  assert.ok((await store.atomic().set(["k"], 1).commit(lease)).ok);
  // @ts-expect-error: a leader's code must pass its lease.
  await store.atomic().set(["k"], 2).commit();
  // @ts-expect-error: set() takes no lease.
  void store.set;
  await kv.set(["lease"], "b");
  await assert.rejects(store.atomic().delete(["k"]).commit(lease), LeaseLostError);
  assert.equal((await store.get(["k"])).value, 2);
});

class Notes {
  readonly seen: (string | undefined)[] = [];
  add(_text: string, lease?: Lease): void {
    this.seen.push(lease?.role);
  }
  put(_text: string, options?: { readonly loud?: boolean; readonly lease?: Lease }): void {
    this.seen.push(options?.lease?.role);
  }
  count(): number {
    return this.seen.length;
  }
}

Deno.test("Led requires a lease for exactly the methods that take one", () => {
  const notes: Led<Notes> = new Notes();
  notes.add("one", Lease.ofSoleNode("bot"));
  // @ts-expect-error: the lease is missing.
  notes.add("two");
  notes.put("three", { lease: Lease.ofSoleNode("events") });
  // @ts-expect-error: the lease is missing among the options.
  notes.put("four", { loud: true });
  assert.equal(notes.count(), 4);
  assert.deepEqual(notes.seen, ["bot", undefined, "events", undefined]);
});
