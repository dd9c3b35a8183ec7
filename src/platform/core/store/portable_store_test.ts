import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import {
  checkReadable,
  isStoreEmpty,
  markPortable,
  NewerValuesError,
  PortableStore,
} from "./portable_store.ts";
import { DenoStore, type ListOptions, type RecordStore } from "../../../store/mod.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";

async function withKv(test: (kv: RecordStore) => Promise<void>): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  try {
    await test(kv);
  } finally {
    kv.close();
  }
}

Deno.test("PortableStore() stores values as bytes, and reads them back", () =>
  withKv(async (kv) => {
    const portable = new PortableStore(kv);
    const record = { a: [1, null], ids: new Uint16Array([3]) };
    await portable.set(["r", 1], record);
    await portable.atomic().check({ key: ["r", 2], versionstamp: null }).set(["r", 2], "two")
      .sum(["n"], 2n).commit();
    assert.ok((await kv.get(["r", 1])).value instanceof Uint8Array);
    assert.ok((await kv.get(["r", 2])).value instanceof Uint8Array);
    assert.deepEqual((await portable.get(["r", 1])).value, record);
    assert.deepEqual((await portable.get(["n"])).value, new Deno.KvU64(2n));
    const missing = { key: ["none"], value: null, versionstamp: null };
    assert.deepEqual((await portable.getMany([["r", 2], ["none"]])).slice(1), [missing]);
    const list = (options: ListOptions) =>
      Array.fromAsync(portable.list({ prefix: ["r"] }, options), ({ value }) => value);
    assert.deepEqual(await list({ limit: 1 }), [record]);
    assert.deepEqual(await list({ reverse: true }), ["two", record]);
    const lost = await portable.atomic().check({ key: ["r", 2], versionstamp: null }).commit();
    assert.equal(lost.ok, false);
  }));

Deno.test("PortableStore() reads values that were stored without it", () =>
  withKv(async (kv) => {
    await kv.set(["old"], { a: 1 });
    assert.deepEqual((await new PortableStore(kv).get(["old"])).value, { a: 1 });
  }));

Deno.test("checkReadable() marks an empty store once, and the mark is not a record", () =>
  withKv(async (kv) => {
    assert.equal(await checkReadable(kv), true);
    await markPortable(kv);
    assert.equal(await checkReadable(kv), false);
    assert.equal(await isStoreEmpty(kv), true);
    await new PortableStore(kv).set(["r"], 1);
    assert.equal(await isStoreEmpty(kv), false);
  }));

/** Null in a format that no runtime supports yet. */
const FUTURE_NULL = new Uint8Array([0xff, 99, 0x30]);

Deno.test("checkReadable() refuses a store with a value in a newer format, and changes nothing", async () => {
  await inTestFolder(async (folder) => {
    const place = `${folder}/kv.sqlite3`;
    using kv = await DenoStore.open(place);
    await kv.set(["r"], new Uint8Array([1]));
    using database = new DatabaseSync(place);
    // Encoding 1 is V8's format.
    database.prepare("update kv set v = ?, v_encoding = 1").run(FUTURE_NULL);
    await assert.rejects(checkReadable(kv), NewerValuesError);
    assert.equal(database.prepare("select count(*) as count from kv").get()?.count, 1);
  });
});
