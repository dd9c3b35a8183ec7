import assert from "node:assert/strict";
import fc from "fast-check";
import type { DeploymentFile } from "../../contract/deployment_files.ts";
import { differenceOf, digestFiles } from "../../contract/file_difference.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { openFsBlobVault } from "../core/store/mod.ts";
import { ProjectStore } from "../projects/project_store.ts";
import { testProject } from "../projects/_test_project.ts";
import { storeContent } from "./create_deployment.ts";
import { deploymentRecord } from "./deployment.ts";
import { DeploymentStore } from "./deployment_store.ts";
import { receiveFiles } from "./receive_files.ts";
import { DenoStore } from "../../store/mod.ts";

const WORKSPACE = "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e05";
const PROJECT = testProject();
const MANIFEST = {
  version: 1,
  layers: [{ name: "site", target: "STATIC", directory: "." }],
  routes: [{ pattern: "^/.*$", layer: "site" }],
};

/**
 * Runs a test with a store and one deployment that has files. Other deployments can use it as their
 * base.
 */
async function withBase(
  run: (world: {
    readonly store: (files: readonly DeploymentFile[]) => Promise<string>;
    readonly addBase: (id: string, contentSha: string | null) => Promise<void>;
    readonly services: Parameters<typeof receiveFiles>[0];
  }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-files-" });
  const kv = await DenoStore.open(":memory:");
  try {
    const blobs = (await openFsBlobVault(folder)).of(WORKSPACE);
    const deployments = new DeploymentStore(kv);
    assert.ok(await new ProjectStore(kv).create(PROJECT));
    await run({
      services: { deployments, blobs },
      store: async (files) =>
        (await storeContent(blobs, { manifest: MANIFEST, files: [...files], functions: [] }))
          .contentSha,
      addBase: async (id, contentSha) => {
        assert.ok(
          await deployments.create(deploymentRecord.parse({
            id,
            projectId: PROJECT.id,
            workspaceId: PROJECT.workspaceId,
            contentSha,
            projectName: PROJECT.name,
            status: "LIVE",
            environment: "production",
            branch: "main",
            uniqueLabel: `shop-${id}`,
            branchLabel: "shop-git-main",
            commitSha: null,
            message: null,
            author: null,
            error: null,
            liveAt: null,
            functions: [],
            variablesVersion: "v",
            fileCount: 1,
            totalBytes: 1,
            createdAt: 0,
            updatedAt: 0,
          })),
        );
      },
    });
  } finally {
    kv.close();
    await Deno.remove(folder, { recursive: true });
  }
}

const listed = (path: string, content: number): DeploymentFile => ({
  path,
  sha256: sha256Hex(String(content)),
  size: content,
});

/** Trees of files in folders. No file has the same name as a folder. */
const tree = fc.uniqueArray(
  fc.record({
    folders: fc.array(fc.constantFrom("x", "y", "é"), { maxLength: 3 }),
    name: fc.constantFrom("a.html", "b.html", "\u{1f600}.css", "index.html"),
    content: fc.nat(5),
  }).map(({ folders, name, content }) => listed([...folders, name].join("/"), content)),
  { selector: ({ path }) => path, minLength: 1, maxLength: 40 },
);

/** Edits to a tree: files that are removed, changed, and added. */
const edits = fc.record({
  drops: fc.array(fc.nat(39), { maxLength: 8 }),
  changes: fc.array(fc.nat(39), { maxLength: 8 }),
  additions: tree,
});

function edit(
  files: readonly DeploymentFile[],
  { drops, changes, additions }: {
    readonly drops: readonly number[];
    readonly changes: readonly number[];
    readonly additions: readonly DeploymentFile[];
  },
): DeploymentFile[] {
  const left = files.flatMap((file, index) => {
    if (drops.includes(index)) return [];
    return [changes.includes(index) ? listed(file.path, 9) : file];
  });
  const known = new Set(left.map(({ path }) => path));
  return [...left, ...additions.filter(({ path }) => !known.has(path))];
}

Deno.test("a difference results in the same stored content as the full list", async () => {
  await withBase(async ({ services, store, addBase }) => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(tree, edits, async (base, changes) => {
        const id = `d${++count}`;
        await addBase(id, await store(base));
        const files = edit(base, changes);
        const difference = differenceOf(base, files);
        const received = await receiveFiles(services, PROJECT, {
          files: [...difference.files],
          removed: [...difference.removed],
          base: { deployment: id, digest: digestFiles(files) },
        });
        assert.equal(await store(received.files), await store(files));
      }),
      { numRuns: 40, seed: 17 },
    );
  });
});

Deno.test("a difference whose result does not match its digest is refused", async () => {
  await withBase(async ({ services, store, addBase }) => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(tree, tree, tree, async (base, other, files) => {
        const id = `d${++count}`;
        await addBase(id, await store(base));
        // The difference is computed against a different base than the one it names, as in an
        // outdated checkout.
        const difference = differenceOf(other, files);
        const received = await receiveFiles(services, PROJECT, {
          files: [...difference.files],
          removed: [...difference.removed],
          base: { deployment: id, digest: digestFiles(files) },
        }).catch((error) => {
          assert.equal(error.code, "base_unusable");
          return undefined;
        });
        if (received !== undefined) assert.equal(await store(received.files), await store(files));
      }),
      { numRuns: 40, seed: 17 },
    );
  });
});

Deno.test("receiveFiles() reports why a base cannot be used", async () => {
  await withBase(async ({ services, store, addBase }) => {
    const files = [listed("index.html", 1)];
    await addBase("unbuilt", null);
    await addBase("swept", "f".repeat(64));
    await addBase("sound", await store(files));
    const difference = { files: [listed("b.html", 2)], removed: [] };
    for (
      const [deployment, digest, reason] of [
        [
          "none",
          digestFiles(files),
          /project "shop" has no deployment with this ID\. Send the complete list/,
        ],
        ["unbuilt", digestFiles(files), /it is not built yet/],
        ["swept", digestFiles(files), /its list is no longer stored/],
        ["sound", digestFiles(files), /the resulting list does not match the digest/],
      ] as const
    ) {
      await assert.rejects(
        receiveFiles(services, PROJECT, { ...difference, base: { deployment, digest } }),
        (error: { code?: string; message: string; status?: number }) =>
          error.code === "base_unusable" && error.status === 409 && reason.test(error.message),
        deployment,
      );
    }
    await assert.rejects(
      receiveFiles(services, PROJECT, { files, removed: ["a"] }),
      /body\.removed: Must be empty without a base/,
    );
  });
});
