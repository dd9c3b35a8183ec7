import assert from "node:assert/strict";
import { until } from "../lib/_test_until.ts";
import { type Nodes, soleNode } from "../platform/core/nodes/mod.ts";
import { keys } from "../platform/core/store/mod.ts";
import { markDeleted, projects } from "../platform/projects/mod.ts";
import { Closers } from "./closers.ts";
import { cleanUp, startCapabilities } from "./lifecycle.ts";
import { DenoStore, Lease } from "../store/mod.ts";

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

Deno.test("another node deletes a project that a failed node was deleting", async () => {
  const kv = await DenoStore.open(":memory:");
  const closers = new Closers();
  let look = () => {};
  const nodes: Nodes = {
    ...soleNode({ id: "b", instance: "b", self: () => assert.fail() }),
    onDeath: (act) => void (look = act),
  };
  const project = projects.schema.parse({
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
  const removed: string[] = [];
  const removeProject = (id: string) => Promise.resolve(void removed.push(id));
  try {
    await kv.set(keys.project("w1", "p1"), project);
    await kv.set(keys.projectByName("shop"), { workspaceId: "w1", projectId: "p1" });
    await startCapabilities({
      capabilities: [{ name: "builds", removeProject }],
      foundation: { kv, nodes, log: () => {} },
      closers,
      readOnly: false,
    });
    await markDeleted(kv, project, 0);
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
