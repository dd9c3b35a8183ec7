import assert from "node:assert/strict";
import { keys } from "../core/store/keys.ts";
import { EnvironmentStore, finishEnvironmentDeletion } from "../environments/mod.ts";
import { type DeploymentRecord, deploymentRecord, moveDeployment } from "./deployment.ts";
import { DeploymentStore } from "./deployment_store.ts";
import { testProject } from "../projects/_test_project.ts";
import { DenoStore, type RecordStore } from "../../store/mod.ts";

const DEPLOYMENT = deploymentRecord.parse({
  id: "d1",
  projectId: "p1",
  workspaceId: "w1",
  projectName: "shop",
  status: "PENDING",
  environment: "production",
  branch: "main",
  commitSha: null,
  message: null,
  author: null,
  uniqueLabel: "shop-abc",
  branchLabel: "shop-git-main",
  contentSha: null,
  cron: [],
  functions: [],
  variablesVersion: "v",
  fileCount: 0,
  totalBytes: 0,
  error: null,
  createdAt: 0,
  updatedAt: 0,
  liveAt: null,
});

const PROJECT = testProject();

/**
 * Runs a test with a store that contains one deployment, and with the events that the store's
 * commits recorded.
 */
async function withStore(
  run: (store: DeploymentStore, noted: () => Promise<string[]>, kv: RecordStore) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  await kv.set(keys.deployment("p1", "d1"), DEPLOYMENT);
  const store = new DeploymentStore(
    kv,
    (operation, moment, { status }) => operation.set(["noted", moment], status),
  );
  try {
    await run(store, async () => {
      const entries = await Array.fromAsync(kv.list<string>({ prefix: ["noted"] }));
      return entries.map(({ key, value }) => `${String(key[1])} of ${value}`);
    }, kv);
  } finally {
    kv.close();
  }
}

const to = (status: DeploymentRecord["status"]) => (current: DeploymentRecord): DeploymentRecord =>
  moveDeployment(current, status, { now: 1 });

for (
  const { name, change, moment, expected } of [
    { name: "a failure", change: to("FAILED"), expected: ["failed of FAILED"] },
    { name: "a stop", change: to("STOPPED"), expected: ["stopped of STOPPED"] },
    {
      name: "a failed build",
      change: to("FAILED"),
      moment: "build_failed",
      expected: ["build_failed of FAILED"],
    },
    {
      name: "a given moment",
      change: to("BUILDING"),
      moment: "building",
      expected: ["building of BUILDING"],
    },
    { name: "nothing for an upload that is activated", change: to("DEPLOYING"), expected: [] },
    {
      name: "nothing if the status does not change",
      change: (current: DeploymentRecord) => current,
      moment: "building",
      expected: [],
    },
  ] as const
) {
  Deno.test(`DeploymentStore.update() records ${name}`, () =>
    withStore(async (store, noted) => {
      await store.update(["p1", "d1"], change, { moment });
      assert.deepEqual(await noted(), expected);
    }));
}

Deno.test("DeploymentStore.create() records the start event once the deployment has a label", () =>
  withStore(async (store, noted, kv) => {
    await kv.set(keys.project("w1", "p1"), PROJECT);
    await kv.set(keys.host("shop-taken"), { projectId: "p1", deploymentId: null });
    assert.equal(await store.create({ ...DEPLOYMENT, uniqueLabel: "shop-taken" }), false);
    assert.deepEqual(await noted(), []);
    assert.equal(await store.create(DEPLOYMENT), true);
    assert.deepEqual(await noted(), ["started of PENDING"]);
  }));

Deno.test("DeploymentStore.activate() fails in a deleted environment", () =>
  withStore(async (store, _noted, kv) => {
    const environments = new EnvironmentStore(kv);
    const staging = { id: "e1", name: "staging", createdAt: 0 };
    const deploying = { ...DEPLOYMENT, status: "DEPLOYING", environment: "staging" } as const;
    await kv.set(keys.project("w1", "p1"), PROJECT);
    await kv.set(keys.deployment("p1", "d1"), deploying);
    assert.ok(await environments.create(PROJECT, staging));
    await environments.delete(PROJECT, staging);
    await assert.rejects(store.activate(deploying, 1), /environment "staging" was deleted/);
    await finishEnvironmentDeletion(kv, {
      projectId: "p1",
      projectName: PROJECT.name,
      name: "staging",
    });
    assert.ok(await environments.create(PROJECT, { ...staging, id: "e2" }));
    const { result } = await store.activate(deploying, 1);
    assert.equal(result.deployment.status, "LIVE");
  }));
