/**
 * Stops nodes with SIGTERM, one at a time, while there are requests and writes, and starts them
 * again, as in an upgrade. Behind a load balancer, no request may be lost. `SVC_OLD_BIN` is the
 * path of an older version's program, which all nodes run at first.
 */
import assert from "node:assert/strict";
import { isInstalled } from "../../scripts/_process.ts";
import { programCommand } from "../../scripts/_program.ts";
import { until } from "../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../src/platform/core/store/_test_pg.ts";
import { IS_LONG, Machines } from "../helpers/machines/machines.ts";
import { startVisitor } from "../helpers/machines/visitor.ts";
import { keepWriting } from "../helpers/machines/workload.ts";
import { deployments, events, projects, signIns } from "../helpers/machines/workloads.ts";

const STOPS = IS_LONG ? 15 : 1;
const OLD = Deno.env.get("SVC_OLD_BIN");

const say = (text: string) => Deno.stderr.write(new TextEncoder().encode(`${text}\n`));

Deno.test({
  name: "restarting nodes one by one loses no request",
  ignore: NO_POSTGRES !== undefined || !isInstalled("haproxy"),
  async fn() {
    await using machines = await Machines.start(OLD === undefined ? {} : { command: [OLD] });
    const workloads = [
      await deployments(machines),
      projects(machines),
      events(machines),
      await signIns(machines),
    ];
    const visitors = [
      await startVisitor(machines),
      await startVisitor(machines, { keepsConnections: true }),
    ];
    const writing = keepWriting(workloads);
    const versions = new Set<string>();
    for (let stop = 0; stop < STOPS; stop++) {
      const node = machines.nodes[stop % machines.nodes.length]!;
      assert.equal(await node.stop(), 0, node.said);
      for (const workload of workloads) {
        const { acknowledged } = workload;
        await until(() => workload.acknowledged > acknowledged);
      }
      await node.start(programCommand());
      const { json } = await node.api("GET", "/v1/nodes");
      for (const { version } of json.items) versions.add(version);
    }
    await writing.stop();
    for (const each of visitors) await each.stop();
    const served = visitors.map((each) => each.served).join(" and ");
    const counts = workloads.map((each) => `${each.acknowledged} ${each.name}`).join(", ");
    await say(`${served} pages; ${counts}; versions ${[...versions].join(", ")}`);
    for (const { failures } of visitors) assert.deepEqual(failures, [], "No page is lost");
    assert.deepEqual(writing.refused, [], "No write is refused");
    for (const each of workloads) await each.check(machines);
  },
});
