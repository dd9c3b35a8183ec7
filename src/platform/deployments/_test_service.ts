/** A deployment service with in-memory stores, for tests. @module */
import assert from "node:assert/strict";
import type { CheckResult } from "../../contract/release_checks.ts";
import type { Manifest } from "../../manifest/mod.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { Addresses } from "../core/addresses.ts";
import type { BlobStore } from "../core/store/blob_store.ts";
import type { ProjectRecord } from "../projects/project.ts";
import { ProjectStore } from "../projects/project_store.ts";
import { writeContent } from "./content.ts";
import { type DeploymentRecord, deploymentRecord } from "./deployment.ts";
import { DeploymentService } from "./deployment_service.ts";
import { DeploymentStore } from "./deployment_store.ts";
import { testProject } from "../projects/_test_project.ts";
import { DenoStore, type RecordStore } from "../../store/mod.ts";

const PROJECT = testProject();

const PAGE = "a page";
const PAGE_BLOB = { sha256: sha256Hex(PAGE), size: PAGE.length };
export const encode = (text: string) => new TextEncoder().encode(text);

/** Creates a store for the blobs of one workspace, in memory. */
function memoryBlobs() {
  const stored = new Map<string, Uint8Array<ArrayBuffer>>();
  const blobs: BlobStore = {
    put: (sha256, content) => Promise.resolve(void stored.set(sha256, new Uint8Array(content))),
    async putStream(sha256, content) {
      stored.set(sha256, new Uint8Array(await new Response(content).arrayBuffer()));
    },
    add: () => assert.fail("unexpected call to add()"),
    size: (sha256) => Promise.resolve(stored.get(sha256)?.byteLength),
    verify: (sha256) => Promise.resolve(stored.get(sha256)?.byteLength),
    verifyAll: (hashes) =>
      Promise.resolve(new Map(hashes.map((sha256) => [sha256, stored.get(sha256)?.byteLength]))),
    reportDamage: () => assert.fail("unexpected call to reportDamage()"),
    read: (sha256) => Promise.resolve(stored.get(sha256) ?? assert.fail(`no blob ${sha256}`)),
    stream: () => assert.fail("unexpected call to stream()"),
    openFile: () => assert.fail("unexpected call to openFile()"),
    link: () => assert.fail("unexpected call to link()"),
  };
  return blobs;
}

/** Creates a service with in-memory stores, and a list of the calls to its fakes. */
export async function withService(
  run: (world: Awaited<ReturnType<typeof open>>) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  try {
    await run(await open(kv));
  } finally {
    kv.close();
  }
}

async function open(kv: RecordStore) {
  const deployments = new DeploymentStore(kv);
  const projects = new ProjectStore(kv);
  assert.ok(await projects.create(PROJECT));
  const blobs = memoryBlobs();
  await blobs.put(PAGE_BLOB.sha256, encode(PAGE));
  const addresses = new Addresses({ protocol: "http:", domain: "localhost", port: "" });
  const hosts = new Map<string, string>();
  const happened: string[] = [];
  const note = (what: string) => Promise.resolve(void happened.push(what));
  let now = 0;
  const hooks: {
    /** Runs while a deployment's server starts. */
    prepare(deployment: DeploymentRecord): Promise<void>;
    /** Runs while a deployment's rendered pages are dropped, before the deployment is served. */
    purge(): Promise<void>;
    /** Runs after a deployment has been stored as stopped, before it leaves the history. */
    stopped(): Promise<void>;
    /** Runs a deployment's checks. */
    check(deployment: DeploymentRecord): Promise<readonly CheckResult[]>;
  } = {
    prepare: () => Promise.resolve(),
    purge: () => Promise.resolve(),
    stopped: () => Promise.resolve(),
    check: () => assert.fail("nothing is checked"),
  };
  const service = new DeploymentService({
    deployments,
    projects,
    addresses,
    vault: { of: () => blobs },
    sites: {
      deploymentAt: (hostname) => hosts.get(hostname),
      isPinned: () => false,
      pointLazily: (hostname, { deploymentId }) =>
        Promise.resolve(void hosts.set(hostname, deploymentId)),
      point: (hostname, { deploymentId }) =>
        Promise.resolve(void hosts.set(hostname, deploymentId)),
      removeDeployment(id) {
        for (const [hostname, shown] of hosts) if (shown === id) hosts.delete(hostname);
        return Promise.resolve();
      },
    },
    databases: {
      prepare: () => Promise.resolve(),
      beginMigration: () => Promise.resolve(true),
      endMigration: () => Promise.resolve(false),
      schemaDifference: () => Promise.resolve(undefined),
      connections: () => Promise.resolve({}),
    },
    computeService: {
      async prepare(deployment) {
        await note(`prepare ${deployment.id}`);
        await hooks.prepare(deployment);
      },
      purge: () => hooks.purge(),
      remove: (id) => note(`remove ${id}`),
      retire: (ids) => void [...ids].forEach((id) => happened.push(`retire ${id}`)),
    },
    uploads: { keepAlive: () => Promise.resolve(true) },
    functionService: {
      retire: () => {},
      seal: (name, source) => {
        const sealed = new Uint8Array([...encode(`sealed ${name}: `), ...source]);
        return Promise.resolve({ name, sha256: sha256Hex(sealed), source: sealed });
      },
    },
    async onStopped({ id }) {
      await note(`end build of ${id}`);
      await hooks.stopped();
    },
    checker: {
      placeOf: ({ id }) => Promise.resolve({ url: `http://${id}.localhost`, bypass: "let me in" }),
      run: (deployment) => hooks.check(deployment),
    },
    collectCounts: () => Promise.resolve(),
    raiseEvent: ({ event, data }) => note(`${event} ${data.deploymentId}`),
    now: () => ++now,
    random: (length) => new Uint8Array(length),
  });
  return {
    service,
    blobs,
    hosts,
    happened,
    hooks,
    kv,
    /** Stores a deployment that has not been activated yet. */
    async add(
      id: string,
      more: Partial<DeploymentRecord> = {},
      settings: Pick<Manifest, "checks"> = {},
    ) {
      const contentSha = await writeContent(blobs, {
        manifest: { version: 1, layers: [], routes: [], ...settings },
        files: [{ path: "index.html", ...PAGE_BLOB }],
        functions: [],
        rules: null,
      });
      const deployment = deploymentRecord.parse({
        id,
        projectId: "p1",
        workspaceId: "w1",
        projectName: "shop",
        status: "PENDING",
        environment: "production",
        branch: "main",
        uniqueLabel: `shop-${id}`,
        branchLabel: "shop-git-main",
        contentSha,
        functions: [],
        variablesVersion: "v",
        commitSha: null,
        message: null,
        author: null,
        error: null,
        liveAt: null,
        fileCount: 1,
        totalBytes: PAGE.length,
        createdAt: 0,
        updatedAt: 0,
        ...more,
      });
      assert.ok(await deployments.create(deployment));
      return deployment;
    },
    async find(id: string) {
      return await deployments.find("p1", id) ?? assert.fail(`no deployment ${id}`);
    },
    project: async (): Promise<ProjectRecord> =>
      await projects.find("w1", "p1") ?? assert.fail("no project"),
    /**
     * Returns the deployment that a label serves according to the store. Checks that the edge
     * serves the same deployment.
     */
    async shownAt(label: string) {
      const stored = (await deployments.findHost(label))?.deploymentId ?? undefined;
      assert.equal(hosts.get(addresses.hostname(label)), stored, `edge and store on ${label}`);
      return stored;
    },
  };
}
