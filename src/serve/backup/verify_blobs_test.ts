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

Deno.test("verifyBlobs() reports missing blobs of rules, pushed repositories and build logs", async () => {
  using kv = await DenoStore.open(":memory:");
  const { workspaceId, projectId } = PLACE;
  const blob = (digit: string) => ({ workspaceId, sha256: digit.repeat(64) });
  await kv.set(keys.rulesRevision(projectId, "r1"), {
    ...blob("1"),
    revisionId: "r1",
    ruleCount: 1,
    publishedAt: 0,
    publishedBy: "u1",
  });
  const [pack, index] = [blob("2"), blob("3")].map(({ sha256 }) => ({ sha256, size: 1 }));
  await kv.set(keys.pushedRepository(projectId), {
    workspaceId,
    refs: blob("4").sha256,
    packs: [{ name: `pack-${"a".repeat(40)}`, pack, index }],
  });
  await kv.set(keys.buildLog(projectId, "d1"), blob("5"));
  const source: BlobSource = {
    async *list() {},
    stream: () => Promise.resolve(undefined),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const damage = new DamageList();
  await verifyBlobs({ source, kv, now: 0 }, damage);
  assert.deepEqual(damage.named.map((text) => text.replace(/^blob (.).*, which/, "$1:")), [
    `1: a rules revision of project ${projectId} needs, is missing or cannot be read`,
    `4: the pushed repository of project ${projectId} needs, is missing or cannot be read`,
    `2: the pushed repository of project ${projectId} needs, is missing or cannot be read`,
    `3: the pushed repository of project ${projectId} needs, is missing or cannot be read`,
    "5: the build log of deployment d1 needs, is missing or cannot be read",
  ]);
});
