import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../lib/hash.ts";
import { keys } from "../core/store/keys.ts";
import { openFsBlobVault } from "../core/store/fs_blob_vault.ts";
import type { RaisedEvent } from "../core/events/raise_event.ts";
import { Addresses } from "../core/addresses.ts";
import { writeContent } from "./content.ts";
import type { DeploymentRecord } from "./deployment.ts";
import { DeploymentStore } from "./deployment_store.ts";
import { KEEP_UPLOAD_MS, MAX_PENDING_MS, sweep } from "./sweep.ts";
import { DenoStore, Lease, type RecordStore } from "../../store/mod.ts";

const WORKSPACE = "01890000-0000-7000-8000-000000000001";
const PROJECT = "01890000-0000-7000-8000-000000000002";
const NOW = Date.UTC(2026, 0, 2);
const bytes = (text: string) => new TextEncoder().encode(text);

async function withParts(
  run: (parts: {
    readonly kv: RecordStore;
    readonly root: string;
    readonly vault: Awaited<ReturnType<typeof openFsBlobVault>>;
    /** Records a deployment with one file, and returns the hashes of its blobs. */
    deploy(id: string, text: string, more?: Partial<DeploymentRecord>): Promise<string[]>;
    round(now?: number): ReturnType<typeof sweep>;
    /** Events that were raised. */
    readonly raised: RaisedEvent[];
  }) => Promise<void>,
) {
  const root = await Deno.makeTempDir({ prefix: "svc-sweep-" });
  const kv = await DenoStore.open(":memory:");
  const vault = await openFsBlobVault(root);
  const blobs = vault.of(WORKSPACE);
  const damaged: string[] = [];
  const raised: RaisedEvent[] = [];
  try {
    await run({
      kv,
      root,
      vault,
      raised,
      async deploy(id, text, more = {}) {
        const sha256 = sha256Hex(text);
        await blobs.put(sha256, bytes(text));
        const contentSha = await writeContent(blobs, {
          manifest: { version: 1, layers: [], routes: [] },
          functions: [],
          files: [{ path: "a", sha256, size: text.length }],
          rules: null,
        });
        await kv.set(keys.deployment(PROJECT, id), { ...record(id, contentSha), ...more });
        await age(root, [sha256, contentSha]);
        return [sha256, contentSha];
      },
      round: (now = NOW) =>
        sweep(
          {
            deployments: new DeploymentStore(kv),
            vault,
            addresses: new Addresses({ protocol: "http:", domain: "localhost", port: "" }),
            raiseEvent: (event) => Promise.resolve(void raised.push(event)),
            otherBlobs: async function* () {},
            hasDamagedRecords: () => Promise.resolve(false),
            onDamaged: (deployment) => damaged.push(deployment.id),
          },
          now,
          Lease.ofSoleNode("housekeeping"),
        ),
    });
  } finally {
    kv.close();
    await Deno.remove(root, { recursive: true });
  }
}

/** Makes blobs two days old, so they are not kept just because they are new. */
async function age(root: string, hashes: string[]) {
  for (const hash of hashes) {
    const old = new Date(NOW - 2 * MAX_PENDING_MS);
    await Deno.utime(join(root, WORKSPACE, hash.slice(0, 2), hash), old, old);
  }
}

function record(id: string, contentSha: string): DeploymentRecord {
  return {
    id,
    projectId: PROJECT,
    workspaceId: WORKSPACE,
    projectName: "shop",
    status: "LIVE",
    environment: "production",
    branch: "main",
    commitSha: null,
    message: null,
    author: null,
    uniqueLabel: `shop-${id}`,
    branchLabel: "shop-git-main",
    source: "upload",
    promotedFrom: null,
    contentSha,
    cron: [],
    functions: [],
    variablesVersion: ".",
    fileCount: 1,
    totalBytes: 1,
    error: null,
    createdAt: NOW,
    updatedAt: NOW,
    liveAt: NOW,
    redeployOf: null,
  };
}

Deno.test("sweep() keeps blobs of live deployments and removes unused ones", () =>
  withParts(async ({ vault, root, deploy, round }) => {
    const kept = await deploy("d1", "kept");
    const orphan = sha256Hex("orphan");
    await vault.of(WORKSPACE).put(orphan, bytes("orphan"));
    await age(root, [orphan]);
    assert.deepEqual(await round(), { abandoned: 0, removedBlobs: 1 });
    for (const hash of kept) assert.notEqual(await vault.of(WORKSPACE).size(hash), undefined);
    assert.equal(await vault.of(WORKSPACE).size(orphan), undefined);
  }));

Deno.test("sweep() fails abandoned builds, then removes their blobs", () =>
  withParts(async ({ kv, vault, deploy, round, raised }) => {
    const [file] = await deploy("d1", "given up", { status: "PENDING", source: "git" });
    assert.deepEqual(await round(NOW + 1000), { abandoned: 0, removedBlobs: 0 });
    const later = NOW + MAX_PENDING_MS + 1;
    assert.deepEqual(await round(later), { abandoned: 1, removedBlobs: 2 });
    assert.equal(await vault.of(WORKSPACE).size(file!), undefined);
    const deployment = await new DeploymentStore(kv).find(PROJECT, "d1");
    assert.equal(deployment?.status, "FAILED");
    assert.match(deployment?.error ?? "", /not finished within a day/);
    assert.deepEqual(raised.map(({ event }) => event), ["deployment.failed"]);
    assert.match(String(raised[0]?.data.error), /not finished within a day/);
  }));

Deno.test("sweep() keeps the files of an unfinished upload for a day, for the next attempt", () =>
  withParts(async ({ vault, deploy, round }) => {
    const unfinished = { liveAt: null, updatedAt: NOW };
    const [stopped] = await deploy("d1", "interrupted", { status: "STOPPED", ...unfinished });
    const [failed] = await deploy("d2", "cut off", { status: "FAILED", ...unfinished });
    await deploy("d3", "was live", { status: "STOPPED" });
    assert.deepEqual(await round(NOW + KEEP_UPLOAD_MS), { abandoned: 0, removedBlobs: 2 });
    for (const kept of [stopped, failed]) {
      assert.notEqual(await vault.of(WORKSPACE).size(kept!), undefined);
    }
    // The files were looked up a moment ago and may soon be recorded, so they are removed one round
    // later.
    const later = NOW + KEEP_UPLOAD_MS + 1;
    assert.deepEqual(await round(later), { abandoned: 0, removedBlobs: 2 });
    assert.deepEqual(await round(later), { abandoned: 0, removedBlobs: 2 });
  }));

Deno.test("sweep() removes nothing while a deployment's content cannot be read", () =>
  withParts(async ({ vault, root, deploy, round }) => {
    const [, content] = await deploy("d1", "damaged");
    const other = await deploy("d2", "other", { status: "STOPPED" });
    await Deno.writeTextFile(join(root, WORKSPACE, content!.slice(0, 2), content!), "{");
    assert.deepEqual(await round(), { abandoned: 0, removedBlobs: 0 });
    assert.notEqual(await vault.of(WORKSPACE).size(other[0]!), undefined);
  }));
