import assert from "node:assert/strict";
import { deleteKeys, keysBelow } from "./delete_keys.ts";
import { DenoStore } from "../../../store/mod.ts";

Deno.test("deleteKeys() removes more keys than fit into one commit, and no others", async () => {
  using kv = await DenoStore.open(":memory:");
  for (let n = 0; n < 1050; n++) await kv.set(["old", n], n);
  await kv.set(["old"], "the prefix itself");
  await kv.set(["new", 1], 1);
  await deleteKeys(kv, keysBelow(kv, ["old"]));
  const left = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => key);
  assert.deepEqual(left, [["new", 1], ["old"]]);
});
