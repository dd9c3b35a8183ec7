/** Tests that only one node at a time removes old deployments and sweeps blobs. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../lib/hash.ts";
import { BuildStore } from "../builds/mod.ts";
import { Addresses } from "../core/addresses.ts";
import { openFaultyStorage } from "../core/s3/_test_storage.ts";
import { type CachedVault, openS3BlobVault } from "../core/s3/mod.ts";
import { keys, openFsBlobVault } from "../core/store/mod.ts";
import { deploymentRecord } from "../deployments/deployment.ts";
import { type DeploymentService, DeploymentStore } from "../deployments/mod.ts";
import { sweep } from "../deployments/sweep.ts";
import { testProject } from "../projects/_test_project.ts";
import { ProjectStore } from "../projects/mod.ts";
import { pruneDeployments } from "../retention/prune_deployments.ts";
import type { Holder } from "./_test_lease_thief.ts";
import { Lease, type RecordStore } from "../../store/mod.ts";

const WORKSPACE = "01890000-0000-7000-8000-000000000001";
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.now();

function deployment(id: string, more: Record<string, unknown> = {}) {
  return deploymentRecord.parse({
    id,
    projectId: "p1",
    workspaceId: WORKSPACE,
    projectName: "shop",
    status: "STOPPED",
    environment: "preview",
    branch: "main",
    commitSha: null,
    message: null,
    author: null,
    uniqueLabel: `shop-${id}`,
    branchLabel: "shop-git-main",
    contentSha: null,
    functions: [],
    variablesVersion: "v",
    fileCount: 1,
    totalBytes: 1,
    error: null,
    createdAt: 0,
    updatedAt: 0,
    liveAt: 0,
    ...more,
  });
}

const statesOf = async (kv: RecordStore) =>
  (await Array.fromAsync(kv.list<{ id: string; status: string }>({ prefix: ["deployments"] })))
    .map(({ value: { id, status } }) => `${id} ${status}`);

export const retention: Holder = {
  role: "housekeeping",
  async prepare(kv) {
    const done: string[] = [];
    const projects = new ProjectStore(kv);
    assert.ok(await projects.create(testProject({ workspaceId: WORKSPACE })));
    const deployments = new DeploymentStore(kv);
    for (const id of ["d1", "d2", "d3", "d4"]) {
      assert.ok(await deployments.create(deployment(id, id === "d4" ? { createdAt: 1 } : {})));
    }
    const noted = (what: string) => (id: string) =>
      Promise.resolve(void done.push(`${what} ${id}`));
    return {
      done,
      open({ kv, nodes }) {
        const services = {
          kv,
          projects: new ProjectStore(kv),
          deployments: new DeploymentStore(kv),
          deploymentService: {} as Pick<DeploymentService, "stop">,
          git: { branches: () => assert.fail("it has no repository") },
          builds: new BuildStore(kv),
          sites: { removeDeployment: noted("forget site") },
          runner: { removeLeftovers: () => Promise.resolve() },
          computeService: { remove: noted("stop server") },
        };
        return Promise.resolve(() =>
          nodes.during(
            "housekeeping",
            (lease) =>
              pruneDeployments(services, { keepDeployments: 1, keepDays: 1 }, {
                now: NOW,
                signal: new AbortController().signal,
              }, lease),
          )
        );
      },
      outcome: async () => [
        await statesOf(kv),
        (await Array.fromAsync(kv.list({ prefix: [] })))
          .map(({ key }) => key.join("/"))
          .filter((key) => !/^(leases|pulses)/.test(key)),
      ],
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  },
};

/** Names of unused blobs. */
const CONTENTS = ["one", "two", "three"];

/** Runs a round as the deployments capability's `cleanUp()` does. */
function sweepWith(
  kv: RecordStore,
  vault: Parameters<typeof sweep>[0]["vault"],
  { now, lease }: { readonly now: number; readonly lease: Lease },
) {
  return sweep(
    {
      deployments: new DeploymentStore(kv),
      vault,
      raiseEvent: () => Promise.resolve(),
      addresses: new Addresses({ protocol: "http:", domain: "localhost", port: "" }),
      async *otherBlobs() {},
      hasDamagedRecords: () => Promise.resolve(false),
      onDamaged: (_, cause) => assert.fail(String(cause)),
    },
    now,
    lease,
  );
}

export const folderSweep: Holder = {
  role: "housekeeping",
  async prepare(kv) {
    const root = await Deno.makeTempDir({ prefix: "svc-leaders-" });
    const abandoned = deployment("d1", { status: "PENDING", source: "git" });
    await kv.set(keys.deployment("p1", "d1"), abandoned);
    const old = new Date(NOW - 3 * DAY_MS);
    const vault = await openFsBlobVault(root);
    const blobs = vault.of(WORKSPACE);
    const left = async () => (await Array.fromAsync(vault.list())).map(({ sha256 }) => sha256);
    for (const text of CONTENTS) {
      const sha256 = sha256Hex(text);
      await blobs.put(sha256, new TextEncoder().encode(text));
      await Deno.utime(join(root, WORKSPACE, sha256.slice(0, 2), sha256), old, old);
    }
    const folder = { count: CONTENTS.length };
    const watched: string[] = [];
    return {
      get done() {
        // Counts removed files when it is called.
        const now = countFiles(join(root, WORKSPACE));
        for (; folder.count > now; folder.count--) watched.push("removed a file");
        return watched;
      },
      async open({ kv, nodes }) {
        const own = await openFsBlobVault(root, { owner: nodes.id });
        return () =>
          nodes.during("housekeeping", (lease) => sweepWith(kv, own, { now: NOW, lease }));
      },
      outcome: async () => [await statesOf(kv), await left()],
      [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
    };
  },
};

function countFiles(folder: string): number {
  let count = 0;
  for (const { name } of Deno.readDirSync(folder)) {
    count += [...Deno.readDirSync(join(folder, name))].length;
  }
  return count;
}

export const storageSweep: Holder = {
  role: "housekeeping",
  isSlow: true,
  async prepare(kv) {
    const folder = await Deno.makeTempDir({ prefix: "svc-leaders-" });
    const storage = await openFaultyStorage();
    const opened: CachedVault[] = [];
    let now = NOW;
    const openVault = (kv: RecordStore): Promise<CachedVault> =>
      openS3BlobVault({
        place: storage.place,
        env: storage.env,
        kv,
        now: () => now,
        cache: join(folder, String(opened.length)),
        onDamaged: assert.fail,
        onTrouble: assert.fail,
      });
    const vault = await openVault(kv);
    opened.push(vault);
    for (const text of CONTENTS) {
      await vault.of(WORKSPACE).put(sha256Hex(text), new TextEncoder().encode(text));
    }
    // Two of them are not needed: one was marked two days ago, and the other is not marked.
    const mark = () => Promise.resolve((_: string, sha256: string) => sha256 !== sha256Hex("one"));
    now += 2 * HOUR_MS;
    const lease = Lease.ofSoleNode("housekeeping");
    await vault.sweep({ mark, minAgeMs: HOUR_MS, now, lease });
    now += 2 * DAY_MS;
    return {
      get done() {
        return storage.requests.filter((each) => each.startsWith("DELETE"));
      },
      async open({ kv, nodes }) {
        const own = await openVault(kv);
        opened.push(own);
        return () => {
          // A removal that another node has started is left alone for a minute.
          now += HOUR_MS;
          return nodes.during("housekeeping", (lease) => sweepWith(kv, own, { now, lease }));
        };
      },
      async outcome() {
        const left = (await Array.fromAsync(vault.list())).map(({ sha256 }) => sha256);
        const prefix = keys.blobMarks();
        const marks = await Array.fromAsync(kv.list<{ state: string }>({ prefix }));
        const unneeded = marks.filter(({ value }) => value.state === "unneeded");
        return [left.sort(), unneeded.map(({ key }) => key.at(-1))];
      },
      async [Symbol.asyncDispose]() {
        for (const each of opened) {
          await each.settled();
          each.close();
        }
        await storage[Symbol.asyncDispose]();
        await Deno.remove(folder, { recursive: true });
      },
    };
  },
};
