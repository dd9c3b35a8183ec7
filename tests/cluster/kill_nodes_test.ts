/**
 * Kills nodes with `kill -9` at random moments during deployments, builds, triggers, events and
 * sign-ins. Nothing that was acknowledged may be lost, and no event may be in an inbox twice.
 * Requests to a busy site may fail only on the killed node's open connections.
 *
 * `KILL_ROUNDS` sets the number of rounds.
 */
import assert from "node:assert/strict";
import { isInstalled } from "../../scripts/_process.ts";
import { until } from "../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../src/platform/core/store/_test_pg.ts";
import { IS_LONG, Machines, type Node } from "../helpers/machines/machines.ts";
import { type Failure, startVisitor } from "../helpers/machines/visitor.ts";
import { keepWriting, type Workload } from "../helpers/machines/workload.ts";
import { deployments, events, projects, signIns, triggers } from "../helpers/machines/workloads.ts";

const ROUNDS = Number(Deno.env.get("KILL_ROUNDS") ?? (IS_LONG ? 100 : 3));
const ROUNDS_BETWEEN_CHECKS = 10;
const MOST_MS_TO_A_KILL = 1000;

/** The time at which a node was killed, and the time at which its process exited. */
interface Kill {
  readonly node: string;
  readonly from: number;
  readonly to: number;
}

async function kill(node: Node): Promise<Kill> {
  const from = performance.now();
  await node.kill();
  return { node: node.name, from, to: performance.now() };
}

/** Whether a request was in progress when its node was killed. */
const wasCut = ({ began, ended, node }: Failure, kills: readonly Kill[]): boolean =>
  kills.some((each) =>
    began <= each.to && ended >= each.from && (node === undefined || node === each.node)
  );

const acknowledgedBy = (workloads: readonly Workload[]): number =>
  workloads.reduce((sum, { acknowledged }) => sum + acknowledged, 0);

const describe = (workloads: readonly Workload[]): string =>
  workloads.map(({ name, acknowledged }) => `${acknowledged} ${name}`).join(", ");

const say = (text: string) => Deno.stderr.write(new TextEncoder().encode(`${text}\n`));

async function checkAll(machines: Machines, workloads: readonly Workload[]): Promise<void> {
  for (const each of workloads) await each.check(machines);
}

Deno.test({
  name: `${ROUNDS} node kills lose or duplicate nothing, and sites stay available`,
  ignore: NO_POSTGRES !== undefined || !isInstalled("haproxy"),
  async fn() {
    await using machines = await Machines.start({ args: ["--git-root", "/"] });
    const workloads = [
      await deployments(machines),
      projects(machines),
      events(machines),
      await triggers(machines),
      await signIns(machines),
    ];
    const visitor = await startVisitor(machines);
    const kills: Kill[] = [];
    let refused = 0;
    for (let round = 0; round < ROUNDS;) {
      const writing = keepWriting(workloads);
      const end = Math.min(ROUNDS, round + ROUNDS_BETWEEN_CHECKS);
      for (; round < end; round++) {
        const node = machines.nodes[Math.floor(Math.random() * 3)]!;
        const wait = Math.random() * MOST_MS_TO_A_KILL;
        await new Promise((resolve) => setTimeout(resolve, wait));
        kills.push(await kill(node));
        const before = acknowledgedBy(workloads);
        await until(() => acknowledgedBy(workloads) > before + 3);
        await node.start();
      }
      await writing.stop();
      refused += writing.refused.length;
      await checkAll(machines, workloads);
      await say(`${round} kills; ${describe(workloads)}; ${refused} writes were not acknowledged`);
    }
    await visitor.stop();
    const failed = visitor.failures.filter((failure) => !wasCut(failure, kills));
    assert.deepEqual(failed, [], "Only requests on a killed node's connections fail");
    await say(`${visitor.served} pages were served, ${visitor.failures.length} interrupted`);
  },
});
