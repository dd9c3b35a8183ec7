import assert from "node:assert/strict";
import { join } from "node:path";
import { BuildLogs, type LoggedBuild } from "./build_logs.ts";
import { BuildLogSweep } from "./sweep_build_logs.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";

const PROJECTS = [1, 2].map((each) => `019a0000-0000-7000-8000-00000000000${each}`);
const builds = (count: number): LoggedBuild[] =>
  Array.from({ length: count }, (_, index) => ({
    projectId: PROJECTS[index % 2]!,
    deploymentId: `019a0000-0000-7000-8000-0000000001${String(index).padStart(2, "0")}`,
  }));
const { signal } = new AbortController();

async function withLogs(
  count: number,
  run: (logs: BuildLogs, made: readonly LoggedBuild[], root: string) => Promise<void>,
): Promise<void> {
  await inTestFolder(async (root) => {
    const logs = new BuildLogs(join(root, "logs"), { now: () => 0 });
    const made = builds(count);
    for (const build of made) await (await logs.open(build)).end();
    await run(logs, made, join(root, "logs"));
  });
}

const left = async (logs: BuildLogs) =>
  (await Array.fromAsync(logs.all())).map(({ deploymentId }) => deploymentId).sort();

Deno.test("BuildLogSweep.run() removes only logs of deleted deployments", () =>
  withLogs(6, async (buildLogs, made, root) => {
    const gone = new Set(made.slice(0, 3).map(({ deploymentId }) => deploymentId));
    await Deno.writeTextFile(join(root, PROJECTS[0]!, "notes.txt"), "not ours");
    const running = await buildLogs.open(made[0]!);
    const exists = ({ deploymentId }: LoggedBuild) => Promise.resolve(!gone.has(deploymentId));
    const sweep = new BuildLogSweep({ buildLogs, exists });
    assert.equal(await sweep.run(signal), 2);
    const kept = [made[0]!, ...made.slice(3)].map(({ deploymentId }) => deploymentId);
    assert.deepEqual(await left(buildLogs), kept, "a log that is being written is not removed");
    await running.end();
    await Deno.stat(join(root, PROJECTS[0]!, "notes.txt"));
    assert.equal(await sweep.run(signal), 1);
    assert.equal(await sweep.run(signal), 0);
  }));

Deno.test("BuildLogSweep.run() checks some logs per round, and continues in the next round", () =>
  withLogs(10, async (buildLogs) => {
    const asked: string[] = [];
    const sweep = new BuildLogSweep({
      buildLogs,
      maxLookedAt: 4,
      exists: ({ deploymentId }) => Promise.resolve(asked.push(deploymentId) % 2 === 0),
    });
    assert.deepEqual([await sweep.run(signal), asked.length], [2, 4]);
    assert.deepEqual([await sweep.run(signal), asked.length], [2, 8]);
    assert.deepEqual([await sweep.run(signal), asked.length], [1, 10]);
    assert.equal(new Set(asked).size, 10);
    assert.deepEqual(await left(buildLogs), asked.filter((_, index) => index % 2 === 1).sort());
    await sweep.run(signal);
    assert.equal(asked.length, 14, "it starts from the first log again");
  }));

Deno.test("BuildLogSweep.run() does nothing if there are no logs or the platform is stopping", () =>
  withLogs(0, async (buildLogs) => {
    const exists = () => Promise.resolve(false);
    assert.equal(await new BuildLogSweep({ buildLogs, exists }).run(signal), 0);
    await (await buildLogs.open(builds(1)[0]!)).end();
    assert.equal(await new BuildLogSweep({ buildLogs, exists }).run(AbortSignal.abort()), 0);
    assert.equal((await left(buildLogs)).length, 1);
  }));
