import assert from "node:assert/strict";
import { ReadOnlyStore, StoreReadOnlyError } from "./read_only_store.ts";
import { DenoStore } from "../../../store/mod.ts";

Deno.test("ReadOnlyStore() reads, and refuses all writes", async () => {
  const kv = await DenoStore.open(":memory:");
  try {
    await kv.set(["a"], 1);
    const readOnly = new ReadOnlyStore(kv);
    assert.equal((await readOnly.get(["a"])).value, 1);
    assert.equal((await readOnly.getMany([["a"], ["b"]]))[0]!.value, 1);
    assert.deepEqual((await Array.fromAsync(readOnly.list({ prefix: [] }))).length, 1);
    const entry = await readOnly.get(["a"]);
    const writes = [
      () => readOnly.set(["a"], 2),
      () => readOnly.delete(["a"]),
      () => readOnly.atomic().check(entry).set(["a"], 2).delete(["b"]).commit(),
      () => readOnly.atomic().commit(),
    ];
    for (const write of writes) await assert.rejects(write(), StoreReadOnlyError);
    assert.equal((await kv.get(["a"])).value, 1);
  } finally {
    kv.close();
  }
});
