import assert from "node:assert/strict";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { ObjectStore } from "../../platform/blobs/mod.ts";
import { keys, openFsBlobVault } from "../../platform/core/store/mod.ts";
import { DenoStore } from "../../store/mod.ts";
import type { BlobSource } from "./blob_source.ts";
import { DamageList } from "./damage_list.ts";
import { verifyBlobs } from "./verify_blobs.ts";

const PLACE = {
  workspaceId: "01890000-0000-7000-8000-000000000001",
  projectId: "01890000-0000-7000-8000-000000000002",
  environment: "production",
};

Deno.test("verifyBlobs() reports a missing blob that an object in a blob store needs", async () => {
  await inTestFolder(async (folder) => {
    using kv = await DenoStore.open(":memory:");
    const vault = await openFsBlobVault(folder);
    await kv.set(keys.project(PLACE.workspaceId, PLACE.projectId), {});
    const objects = new ObjectStore({ kv, vault, quota: 1024, now: () => 0 });
    const { workspaceId } = PLACE;
    const { sha256 } = await objects.put(PLACE, "a.txt", {
      content: {
        stream: new Blob(["boats"]).stream(),
        size: 5,
        algorithms: [],
        expected: () => new Map(),
      },
      described: { contentType: "text/plain", fields: {}, metadata: {} },
    });
    const source = (isThere: boolean): BlobSource => ({
      async *list() {
        if (isThere) yield { workspaceId, sha256 };
      },
      stream: async () => isThere ? await vault.of(workspaceId).stream(sha256) : undefined,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
    const judge = async (isThere: boolean) => {
      const damage = new DamageList();
      const blobs = await verifyBlobs({ source: source(isThere), kv, now: 0 }, damage);
      return { blobs, damage: damage.named.join() };
    };
    assert.deepEqual(await judge(true), { blobs: 1, damage: "" });
    const { blobs, damage } = await judge(false);
    assert.equal(blobs, 0);
    assert.match(damage, /^blob .*, which the blob store of project .* needs, is missing/);
  });
});
