import assert from "node:assert/strict";
import { keys } from "../core/store/keys.ts";
import type { RaisedEvent } from "../core/events/raise_event.ts";
import { Addresses } from "../core/addresses.ts";
import { closeIdleUploads } from "./close_idle_uploads.ts";
import type { DeploymentRecord } from "./deployment.ts";
import { DeploymentStore } from "./deployment_store.ts";
import { OpenUploads, UPLOAD_IDLE_MS } from "./open_uploads.ts";
import { testProject } from "../projects/_test_project.ts";
import { DenoStore, type RecordStore } from "../../store/mod.ts";

const WORKSPACE = "01890000-0000-7000-8000-000000000001";
const PROJECT = "01890000-0000-7000-8000-000000000002";
const NOW = Date.UTC(2026, 0, 2);

function record(id: string, more: Partial<DeploymentRecord>): DeploymentRecord {
  return {
    id,
    projectId: PROJECT,
    workspaceId: WORKSPACE,
    projectName: "shop",
    status: "PENDING",
    environment: "preview",
    branch: "main",
    commitSha: null,
    message: null,
    author: null,
    uniqueLabel: `shop-${id}`,
    branchLabel: "shop-git-main",
    source: "upload",
    promotedFrom: null,
    redeployOf: null,
    contentSha: "a",
    cron: [],
    functions: [],
    variablesVersion: ".",
    fileCount: 1,
    totalBytes: 1,
    error: null,
    createdAt: NOW,
    updatedAt: NOW,
    liveAt: null,
    ...more,
  };
}

interface UploadBench {
  readonly kv: RecordStore;
  readonly deployments: DeploymentStore;
  readonly uploads: OpenUploads;
  readonly raised: RaisedEvent[];
  /** Sets the clock to a number of milliseconds after the deployments started. */
  at(milliseconds: number): void;
  create(id: string, more?: Partial<DeploymentRecord>): Promise<void>;
  close(startedAt?: number): Promise<number>;
  status(id: string): Promise<string | undefined>;
}

async function withParts(run: (parts: UploadBench) => Promise<void>): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  let time = NOW;
  const deployments = new DeploymentStore(kv);
  const uploads = new OpenUploads(kv, () => time);
  const raised: RaisedEvent[] = [];
  const services = {
    deployments,
    uploads,
    addresses: new Addresses({ protocol: "http:", domain: "localhost", port: "" }),
    raiseEvent: (event: RaisedEvent) => Promise.resolve(void raised.push(event)),
  };
  await kv.set(
    keys.project(WORKSPACE, PROJECT),
    testProject({ id: PROJECT, workspaceId: WORKSPACE }),
  );
  try {
    await run({
      kv,
      deployments,
      uploads,
      raised,
      at: (milliseconds) => time = NOW + milliseconds,
      create: async (id, more = {}) => assert.ok(await deployments.create(record(id, more))),
      close: (startedAt = 0) => closeIdleUploads(services, { now: time, startedAt }),
      status: async (id) => (await deployments.find(PROJECT, id))?.status,
    });
  } finally {
    kv.close();
  }
}

Deno.test("closeIdleUploads() closes uploads without new data, and reports why", () =>
  withParts(async ({ at, create, close, status, deployments, raised }) => {
    await create("d1");
    at(UPLOAD_IDLE_MS);
    assert.equal(await close(), 0);
    at(UPLOAD_IDLE_MS + 1);
    assert.equal(await close(), 1);
    assert.equal(await status("d1"), "FAILED");
    assert.match((await deployments.find(PROJECT, "d1"))?.error ?? "", /timed out after 5 min/);
    assert.deepEqual(raised.map(({ event }) => event), ["deployment.failed"]);
    assert.equal(await close(), 0);
  }));

Deno.test("closeIdleUploads() leaves an upload open for hours while bytes arrive", () =>
  withParts(async ({ at, create, close, status, uploads }) => {
    await create("slow");
    await create("dead");
    for (let minute = 4; minute <= 240; minute += 4) {
      at(minute * 60_000);
      assert.ok(await uploads.keepAlive(WORKSPACE, "slow"));
      await close();
    }
    assert.equal(await status("slow"), "PENDING");
    assert.equal(await status("dead"), "FAILED");
    assert.equal(await uploads.keepAlive(WORKSPACE, "dead"), false);
  }));

Deno.test("keepAllAlive() keeps only the workspace's own uploads open", () =>
  withParts(async ({ at, create, close, status, uploads }) => {
    const workspaceId = "01890000-0000-7000-8000-000000000009";
    await create("d1");
    at(4 * 60_000);
    await uploads.keepAllAlive(workspaceId);
    at(UPLOAD_IDLE_MS + 1);
    assert.equal(await close(), 1);
    await create("d2", { createdAt: NOW + UPLOAD_IDLE_MS });
    at(UPLOAD_IDLE_MS + 4 * 60_000);
    await uploads.keepAllAlive(WORKSPACE);
    at(2 * UPLOAD_IDLE_MS + 1);
    assert.equal(await close(), 0);
    assert.equal(await status("d2"), "PENDING");
  }));

Deno.test("closeIdleUploads() does not count the time during which the platform was down", () =>
  withParts(async ({ at, create, close }) => {
    await create("d1");
    at(60 * 60_000);
    assert.equal(await close(NOW + 59 * 60_000), 0);
    at(65 * 60_000);
    assert.equal(await close(NOW + 59 * 60_000), 1);
  }));

Deno.test("closeIdleUploads() ignores builds, and deployments that have gone live or ended", () =>
  withParts(async ({ at, create, close, status, kv, deployments }) => {
    await create("build", { source: "git", contentSha: null });
    await create("live");
    await deployments.update([PROJECT, "live"], (each) => ({ ...each, status: "LIVE" }));
    await create("stale");
    await kv.set(keys.deployment(PROJECT, "stale"), record("stale", { status: "LIVE" }));
    await create("gone");
    await kv.delete(keys.deployment(PROJECT, "gone"));
    at(60 * 60_000);
    assert.equal(await close(), 0);
    assert.equal(await status("build"), "PENDING");
    assert.equal(await status("live"), "LIVE");
    const left = await Array.fromAsync(kv.list({ prefix: keys.allOpenUploads() }));
    assert.deepEqual(left, []);
  }));
