import assert from "node:assert/strict";
import { until } from "../lib/_test_until.ts";
import { type Nodes, soleNode } from "../platform/core/nodes/mod.ts";
import { keys } from "../platform/core/store/mod.ts";
import { EnvironmentStore } from "../platform/environments/mod.ts";
import { markDeleted, projects } from "../platform/projects/mod.ts";
import { Closers } from "./closers.ts";
import { cleanUp, startCapabilities } from "./lifecycle.ts";
import { DenoStore, Lease } from "../store/mod.ts";

const PROJECT = projects.schema.parse({
  id: "p1",
  workspaceId: "w1",
  workspaceSlug: "w",
  name: "shop",
  displayName: null,
  gitUrl: null,
  branch: "main",
  framework: null,
  installCommand: null,
  buildCommand: null,
  outputDirectory: null,
  rootDirectory: null,
  nodeVersion: null,
  productionHistory: [],
  createdAt: 0,
  updatedAt: 0,
});

Deno.test("cleanUp() starts with the last capability and continues after failures", async () => {
  const lines: string[] = [];
  const log = ({ message }: { readonly message: string }) => void lines.push(message);
  const capabilities = [
    { name: "accounts", cleanUp: () => Promise.resolve(["2 sessions removed"]) },
    { name: "hooks" },
    { name: "builds", cleanUp: () => Promise.reject(new Error("the disk is full")) },
    { name: "health", cleanUp: () => Promise.resolve(["1 record removed"]) },
  ];
  await cleanUp(
    capabilities,
    { signal: new AbortController().signal, log },
    Lease.ofSoleNode("housekeeping"),
  );
  assert.deepEqual(lines, [
    "Housekeeping: 1 record removed",
    "Housekeeping of builds failed: Error: the disk is full",
    "Housekeeping: 2 sessions removed",
  ]);
});

Deno.test("startCapabilities() finishes the deletion of an environment", async () => {
  const kv = await DenoStore.open(":memory:");
  const closers = new Closers();
  const removed: string[] = [];
  const start = () =>
    startCapabilities({
      capabilities: [{
        name: "kv",
        removeEnvironment: ({ projectId, projectName, name }) =>
          Promise.resolve(void removed.push(`${projectId} ${projectName} ${name}`)),
      }],
      foundation: {
        kv,
        nodes: soleNode({ id: "b", instance: "b", self: () => assert.fail() }),
        log: () => {},
      },
      closers,
      readOnly: false,
    });
  try {
    const environments = new EnvironmentStore(kv);
    const staging = { id: "e1", name: "staging", createdAt: 0 };
    assert.ok(await environments.create(PROJECT, staging));
    await environments.delete(PROJECT, staging);
    // The process is killed here.
    assert.equal(await environments.create(PROJECT, { ...staging, id: "e2" }), false);
    await start();
    assert.deepEqual(removed, ["p1 shop staging"]);
    await start();
    assert.equal(removed.length, 1, "the deletion has finished");
    assert.ok(await environments.create(PROJECT, { ...staging, id: "e2" }));
  } finally {
    await closers.close();
    kv.close();
  }
});

Deno.test("another node deletes a project that a failed node was deleting", async () => {
  const kv = await DenoStore.open(":memory:");
  const closers = new Closers();
  let look = () => {};
  const nodes: Nodes = {
    ...soleNode({ id: "b", instance: "b", self: () => assert.fail() }),
    onDeath: (act) => void (look = act),
  };
  const removed: string[] = [];
  const removeProject = (id: string) => Promise.resolve(void removed.push(id));
  try {
    await kv.set(keys.project("w1", "p1"), PROJECT);
    await kv.set(keys.projectByName("shop"), { workspaceId: "w1", projectId: "p1" });
    await startCapabilities({
      capabilities: [{ name: "builds", removeProject }],
      foundation: { kv, nodes, log: () => {} },
      closers,
      readOnly: false,
    });
    await markDeleted(kv, PROJECT, 0);
    look();
    await until(() => removed.length > 0);
    await closers.close();
    assert.deepEqual(removed, ["p1"]);
    look();
    await closers.close();
    assert.deepEqual(removed, ["p1"], "both the deletion and the node have ended");
  } finally {
    kv.close();
  }
});
