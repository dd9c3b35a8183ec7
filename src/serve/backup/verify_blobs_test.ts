import assert from "node:assert/strict";
import { PLACE, withStore } from "../../platform/blobs/_test_store.ts";
import type { BlobSource } from "./blob_source.ts";
import { DamageList } from "./damage_list.ts";
import { verifyBlobs } from "./verify_blobs.ts";

Deno.test("verifyBlobs() misses a blob that an object of a blob store needs", async () => {
  await withStore(async ({ kv, vault, objects, send, now }) => {
    assert.equal((await send("production/a.txt", { method: "PUT", body: "boats" })).status, 200);
    const { workspaceId, sha256 } = await objects.get(PLACE, "a.txt");
    const source = (isThere: boolean): BlobSource => ({
      async *list() {
        if (isThere) yield { workspaceId, sha256 };
      },
      stream: async () => isThere ? await vault.of(workspaceId).stream(sha256) : undefined,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
    const judge = async (isThere: boolean) => {
      const damage = new DamageList();
      const blobs = await verifyBlobs({ source: source(isThere), kv, now: now() }, damage);
      return { blobs, damage: damage.named.join() };
    };
    assert.deepEqual(await judge(true), { blobs: 1, damage: "" });
    const { blobs, damage } = await judge(false);
    assert.equal(blobs, 0);
    assert.match(damage, /^blob .*, which the blob store of project .* needs, is missing/);
  });
});
