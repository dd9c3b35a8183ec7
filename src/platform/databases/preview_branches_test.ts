import assert from "node:assert/strict";
import { until } from "../../lib/_test_until.ts";
import { keys } from "../core/store/mod.ts";
import { deploymentRecord } from "../deployments/mod.ts";
import { TestMachine, type TestPlatform } from "./_test_databases.ts";
import { TestEngine } from "./_test_engine.ts";
import { Lease } from "../../store/mod.ts";

const at = { project: "shop", database: "orders" };

/**
 * Starts a platform with three previews, and with a database that gives each preview its own
 * branch.
 */
async function withPreviews(machine: TestMachine) {
  const { id: projectId } = await machine.project("shop");
  const platform = await machine.start(new TestEngine());
  await platform.call("createDatabase", { project: "shop", body: { name: "orders" } });
  await until(() => platform.call("getDatabase", at), ({ state }) => state === "active");
  await platform.call("updateDatabase", { ...at, body: { previewBranches: true } });
  const { deploymentDatabases } = platform.databases;
  const setStatus = (branch: string, status: string) =>
    machine.kv.set(
      keys.deployment(projectId, `of-${branch}`),
      deploymentRecord.parse({
        id: `of-${branch}`,
        projectId,
        workspaceId: "w",
        projectName: "shop",
        status,
        branch,
        environment: "preview",
        uniqueLabel: `shop-${branch}`,
        branchLabel: branch,
        contentSha: null,
        functions: [],
        variablesVersion: "v",
        fileCount: 0,
        totalBytes: 0,
        commitSha: null,
        message: null,
        author: null,
        error: null,
        liveAt: null,
        cron: [],
        createdAt: 0,
        updatedAt: 0,
      }),
    );
  return {
    platform,
    setStatus,
    /** Gives a preview of a git branch its database, and returns the connection string. */
    async inject(branch: string): Promise<string> {
      const user = { id: `of-${branch}`, projectId, environment: "preview", branch };
      return (await deploymentDatabases.openVariables(user)).databases.DATABASE_URL!;
    },
    async names(): Promise<string[]> {
      const { items } = await platform.call("listDatabaseBranches", at);
      return items.map(({ name }: { name: string }) => name).sort();
    },
  };
}

const cleanUp = ({ databases }: TestPlatform) =>
  databases.capability.cleanUp!(
    new AbortController().signal,
    Lease.ofSoleNode("housekeeping"),
  );

Deno.test("preview branches are removed with the last preview of their git branch", async () => {
  await using machine = await TestMachine.make();
  const { platform, setStatus, inject, names } = await withPreviews(machine);
  for (const branch of ["live", "building", "ended"]) await inject(branch);
  await setStatus("live", "LIVE");
  await setStatus("building", "BUILDING");
  await setStatus("ended", "STOPPED");
  assert.deepEqual(await cleanUp(platform), [
    "removed database branches of 1 ended preview",
  ]);
  assert.deepEqual(await names(), ["main", "preview/building", "preview/live"]);
  await setStatus("building", "FAILED");
  await cleanUp(platform);
  assert.deepEqual(await names(), ["main", "preview/live"]);
});

Deno.test("a preview uses a manually created branch until it expires, and then another one", async () => {
  await using machine = await TestMachine.make();
  const { platform, setStatus, inject, names } = await withPreviews(machine);
  await setStatus("live", "LIVE");
  const body = { name: "preview/live", ttlSeconds: 3600 };
  await platform.call("createDatabaseBranch", { ...at, body });
  const first = await inject("live");
  machine.now += 3_599_000;
  assert.deepEqual(await cleanUp(platform), []);
  assert.equal(await inject("live"), first);
  machine.now += 1000;
  assert.deepEqual(await cleanUp(platform), ["removed 1 expired database branch"]);
  assert.deepEqual(await names(), ["main"]);
  assert.notEqual(await inject("live"), first);
  machine.now += 60 * 60 * 1000;
  assert.deepEqual(await cleanUp(platform), []);
  assert.deepEqual(await names(), ["main", "preview/live"]);
});
