import assert from "node:assert/strict";
import { openKv, StoreUnusableError } from "./open_kv.ts";

Deno.test("openKv() says which store cannot be opened, and why", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-kv-" });
  try {
    await assert.rejects(openKv(folder), (error: Error) => {
      assert.ok(error instanceof StoreUnusableError);
      assert.ok(error.message.startsWith(`Cannot open the key-value store ${folder}: `));
      return true;
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
