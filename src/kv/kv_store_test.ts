import assert from "node:assert/strict";
import { MAX_VALUE_BYTES } from "../lib/kv_limits.ts";
import { KvStore } from "./kv_store.ts";
import type { Namespace } from "./types.ts";
import {
  type Changes,
  DenoStore,
  type MaybeEntry,
  type Outcome,
  type RecordKey,
  type RecordStore,
  StoreLayer,
} from "../store/mod.ts";

const BOATS: Namespace = ["harbour", "production"];
const OTHER: Namespace = ["harbour", "preview"];

const text = (value: string) => ({
  bytes: new TextEncoder().encode(value),
  contentType: "text/plain",
});

async function withStore(
  test: (
    parts: { store: KvStore; kv: RecordStore; wait(milliseconds: number): void },
  ) => Promise<void>,
  quota?: { readonly bytes: number; readonly keys: number },
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  let time = 1_000_000;
  const store = new KvStore({
    kv,
    root: ["user_kv"],
    now: () => time,
    ...(quota === undefined ? {} : { quota }),
  });
  try {
    await test({ store, kv, wait: (milliseconds) => void (time += milliseconds) });
  } finally {
    kv.close();
  }
}

const read = async (store: KvStore, key: string, namespace = BOATS) => {
  const value = await store.get(namespace, key);
  return value === undefined ? undefined : new TextDecoder().decode(value.bytes);
};

Deno.test("small and large values are returned as they were set, each in its namespace", () =>
  withStore(async ({ store, kv }) => {
    const large = crypto.getRandomValues(new Uint8Array(60_000)).buffer;
    const bytes = new Uint8Array(MAX_VALUE_BYTES);
    for (let at = 0; at < bytes.length; at += 60_000) {
      bytes.set(new Uint8Array(large, 0, Math.min(60_000, bytes.length - at)), at);
    }
    await store.set(BOATS, "large", { bytes, contentType: "application/octet-stream" });
    await store.set(BOATS, "small", text("Kestrel"));
    await store.set(OTHER, "small", text("Heron"));
    assert.deepEqual((await store.get(BOATS, "large"))?.bytes, bytes);
    assert.equal((await store.get(BOATS, "small"))?.contentType, "text/plain");
    assert.equal(await read(store, "small"), "Kestrel");
    assert.equal(await read(store, "small", OTHER), "Heron");
    assert.equal(await read(store, "gone"), undefined);
    await store.set(BOATS, "large", text("now small"));
    assert.equal(await read(store, "large"), "now small");
    const parts = await Array.fromAsync(kv.list({ prefix: ["user_kv", "parts"] }));
    assert.deepEqual(parts, [], "the parts of the replaced value are gone");
  }));

Deno.test("with a condition, only one of several concurrent writers succeeds", () =>
  withStore(async ({ store }) => {
    const absent = { type: "absent" } as const;
    const both = await Promise.all([
      store.set(BOATS, "captain", { ...text("Ada"), condition: absent }),
      store.set(BOATS, "captain", { ...text("Bea"), condition: absent }),
    ]);
    assert.deepEqual(both.map(({ type }) => type), ["set", "conflict"]);
    const [first] = both;
    const version = first?.type === "set" ? first.version : "";
    const condition = { type: "version", version } as const;
    assert.equal((await store.set(BOATS, "captain", { ...text("Cleo"), condition })).type, "set");
    assert.equal(
      (await store.set(BOATS, "captain", { ...text("Dora"), condition })).type,
      "conflict",
    );
    assert.equal(await store.remove(BOATS, "captain", condition), false);
    assert.equal(await read(store, "captain"), "Cleo");
    assert.equal(await store.remove(BOATS, "captain"), true);
    assert.equal(await store.remove(BOATS, "captain"), true);
    assert.equal(await read(store, "captain"), undefined);
  }));

Deno.test("a value expires, and sweep() removes its remaining records", () =>
  withStore(async ({ store, kv, wait }) => {
    await store.set(BOATS, "tide", { ...text("high"), ttlSeconds: 60 });
    await store.set(BOATS, "moon", { ...text("full"), ttlSeconds: 600 });
    await store.set(BOATS, "hull", text("oak"));
    wait(59_999);
    assert.equal(await read(store, "tide"), "high");
    wait(1);
    assert.equal(await read(store, "tide"), undefined);
    assert.deepEqual(
      (await store.list(BOATS, { prefix: "", limit: 10 })).items.map(({ key }) => key),
      ["hull", "moon"],
    );
    // A value that was set again without an expiry is kept.
    await store.set(BOATS, "moon", text("new"));
    wait(600_000);
    assert.equal(await store.sweep(new AbortController().signal), 1);
    assert.equal(await read(store, "moon"), "new");
    const left = await Array.fromAsync(kv.list({ prefix: ["user_kv", "expiry"] }));
    assert.deepEqual(left, []);
    assert.equal((await store.usage(BOATS)).keys, 2);
  }));

Deno.test("list() pages through keys with a prefix, in the order of their bytes", () =>
  withStore(async ({ store }) => {
    const names = ["boat", "boat:1", "boat:10", "boat:2", "boat:\u{10ffff}x", "boats", "car", "é"];
    for (const name of names.toReversed()) await store.set(BOATS, name, text(name));
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await store.list(BOATS, { prefix: "boat:", limit: 2, after });
      found.push(...page.items.map(({ key }) => key));
      after = page.cursor ?? undefined;
    } while (after !== undefined);
    assert.deepEqual(found, ["boat:1", "boat:10", "boat:2", "boat:\u{10ffff}x"]);
    assert.equal(await store.clear(BOATS, "boat"), 6);
    assert.deepEqual(
      (await store.list(BOATS, { prefix: "", limit: 10 })).items.map(({ key }) => key),
      ["car", "é"],
    );
  }));

Deno.test("a namespace never exceeds its quota, even with concurrent writers", () =>
  withStore(async ({ store }) => {
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, index) => store.set(BOATS, `k${index}`, text("x".repeat(98)))),
    );
    assert.equal(all.filter(({ type }) => type === "set").length, 5);
    assert.equal(all.filter(({ type }) => type === "full").length, 3);
    assert.equal((await store.usage(BOATS)).bytes, 500);
    assert.equal((await store.set(OTHER, "k", text("room"))).type, "set");
    await store.remove(BOATS, "k0");
    assert.equal((await store.set(BOATS, "k0", text("y".repeat(98)))).type, "set");
    assert.equal((await store.set(BOATS, "k0", text("shorter"))).type, "set");
  }, { bytes: 500, keys: 100 }));

Deno.test("expired values that another process removes do not fill a namespace", () =>
  withStore(async ({ store, kv, wait }) => {
    for (let index = 0; index < 5; index++) {
      const value = { ...text("x".repeat(98)), ttlSeconds: 60 };
      assert.equal((await store.set(BOATS, `k${index}`, value)).type, "set");
    }
    assert.equal((await store.set(BOATS, "k5", text("y"))).type, "full");
    wait(60_000);
    const leader = new KvStore({ kv, root: ["user_kv"], now: () => 1_060_000 });
    assert.equal(await leader.sweep(new AbortController().signal), 5);
    assert.equal((await store.set(BOATS, "k5", text("y"))).type, "set");
    assert.deepEqual(await store.usage(BOATS), { bytes: 3, keys: 1 });
    assert.deepEqual(await leader.usage(BOATS), { bytes: 3, keys: 1 });
  }, { bytes: 500, keys: 100 }));

Deno.test("recordsOf() lists all of a project's records", () =>
  withStore(async ({ store, kv }) => {
    await store.set(BOATS, "a", { bytes: new Uint8Array(5000), contentType: "x/y" });
    await store.set(OTHER, "b", text("b"));
    await store.set(["shop", "production"], "c", text("c"));
    for await (const key of store.recordsOf("harbour")) await kv.delete(key);
    const left = await Array.fromAsync(kv.list({ prefix: ["user_kv"] }), ({ key }) => key.at(-1));
    assert.deepEqual(left, ["c"]);
    assert.deepEqual(await store.usage(BOATS), { bytes: 0, keys: 0 });
  }));

Deno.test("KvStore.set() stores every value while another process writes", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-kv-two-" });
  const open = async () => {
    const kv = await DenoStore.open(`${folder}/kv`);
    return { kv, store: new KvStore({ kv, root: ["user_kv"] }) };
  };
  const processes = [await open(), await open()];
  try {
    const keys = Array.from({ length: 60 }, (_, index) => `key${index}`);
    const writes = keys.flatMap((key) =>
      processes.map(async ({ store }, index) => {
        assert.equal((await store.set(BOATS, `${key}/${index}`, text(key))).type, "set");
        assert.equal((await store.set(BOATS, key, text(key))).type, "set");
      })
    );
    await Promise.all(writes);
    for (const { store } of processes) {
      assert.equal((await store.list(BOATS, { prefix: "key", limit: 1000 })).items.length, 180);
    }
    await Promise.all(processes.map(({ store }) => store.clear(BOATS)));
    assert.deepEqual((await processes[0]!.store.list(BOATS, { prefix: "", limit: 1 })).items, []);
  } finally {
    for (const { kv } of processes) kv.close();
    await Deno.remove(folder, { recursive: true });
  }
});

/** A database that counts reads of single keys, and rejects commits while `isFull`. */
class WatchedStore extends StoreLayer {
  readonly seen = { reads: 0, isFull: false };

  override get<T = unknown>(key: RecordKey): Promise<MaybeEntry<T>> {
    this.seen.reads++;
    return super.get<T>(key);
  }

  override write(changes: Changes): Promise<Outcome> {
    if (!this.seen.isFull) return super.write(changes);
    return Promise.reject(new TypeError("database or disk is full"));
  }
}

function watchedKv(kv: RecordStore) {
  const watched = new WatchedStore(kv);
  return { seen: watched.seen, watched };
}

Deno.test("the only writer of a store reads known values without querying the database", () =>
  withStore(async ({ kv }) => {
    const { seen, watched } = watchedKv(kv);
    const store = new KvStore({ kv: watched, root: ["user_kv"], isOnlyWriter: true });
    assert.equal(await read(store, "boat"), undefined);
    const set = await store.set(BOATS, "boat", text("Kestrel"));
    assert.ok(set.type === "set");
    assert.equal((await store.get(BOATS, "boat"))?.version, set.version);
    const condition = { type: "version", version: set.version } as const;
    assert.equal((await store.set(BOATS, "boat", { ...text("Heron"), condition })).type, "set");
    assert.equal(
      (await store.set(BOATS, "boat", { ...text("Gull"), condition })).type,
      "conflict",
    );
    assert.equal(await read(store, "boat"), "Heron");
    assert.equal(await store.remove(BOATS, "boat"), true);
    assert.equal(await read(store, "boat"), undefined);
    assert.equal(seen.reads, 1, "only the first read used it");
    seen.isFull = true;
    await assert.rejects(store.set(BOATS, "boat", text("Tern")), /disk is full/);
    seen.isFull = false;
    assert.equal(await read(store, "boat"), undefined);
    assert.equal(seen.reads, 2, "a failed write causes a read");
  }));

Deno.test("the only writer of a store drops cached namespaces that were removed elsewhere", () =>
  withStore(async ({ kv }) => {
    const store = new KvStore({ kv, root: ["user_kv"], isOnlyWriter: true });
    await store.set(BOATS, "boat", text("Kestrel"));
    for await (const key of store.recordsOf("harbour")) await kv.delete(key);
    store.dropCached("harbour");
    assert.equal(await read(store, "boat"), undefined);
    assert.deepEqual(await store.usage(BOATS), { bytes: 0, keys: 0 });
  }));

Deno.test("the only writer of a store also expires known values", () =>
  withStore(async ({ kv }) => {
    let time = 1_000_000;
    const store = new KvStore({ kv, root: ["user_kv"], isOnlyWriter: true, now: () => time });
    await store.set(BOATS, "boat", { ...text("Kestrel"), ttlSeconds: 5 });
    time += 4999;
    assert.equal(await read(store, "boat"), "Kestrel");
    time++;
    assert.equal(await read(store, "boat"), undefined);
    assert.equal(await store.sweep(new AbortController().signal), 1);
    assert.equal((await store.set(BOATS, "boat", text("Heron"))).type, "set");
  }));

Deno.test("values are stored as bytes, and values from earlier versions are still readable", () =>
  withStore(async ({ store, kv }) => {
    await store.set(BOATS, "boat", { ...text("Kestrel"), ttlSeconds: 60 });
    for await (const { value } of kv.list({ prefix: ["user_kv"] })) {
      assert.ok(value instanceof Uint8Array);
    }
    const { bytes, contentType } = text("Heron");
    const head = { size: bytes.length, contentType, inline: bytes };
    await kv.set(["user_kv", "heads", ...BOATS, "old"], head);
    assert.equal(await read(store, "old"), "Heron");
    assert.equal((await store.get(BOATS, "boat"))?.contentType, "text/plain");
  }));
