/**
 * Tests scheduled backups with three nodes. Exactly one node must create each backup, even after
 * another node has left. Runs only with `CLUSTER_TESTS=all`, because the minimum interval is a
 * minute.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { IS_LONG } from "../../helpers/machines/machines.ts";
import type { TestPlatform } from "../../helpers/platform.ts";

const EVERY_MS = 60_000;
const PATIENCE_MS = 240_000;

Deno.test({
  name: "one of three nodes creates each backup, and another takes over when it leaves",
  ignore: NO_POSTGRES !== undefined || !IS_LONG,
  async fn() {
    await using cluster = await Cluster.open();
    const place = join(cluster.folder, "backups");
    const backups = { place, everyMs: EVERY_MS };
    const nodes: TestPlatform[] = [];
    for (const nodeId of ["a", "b", "c"]) {
      nodes.push(await cluster.start(nodeId, { nodeId, backups }));
    }
    const stored = async () =>
      (await Array.fromAsync(Deno.readDir(join(place, "backups"))).catch(() => []))
        .map(({ name }) => name).filter((name) => name.endsWith(".json"));
    const lastOf = async ({ api }: TestPlatform) => {
      const { last, failure } = (await api("GET", "/v1/backups")).json;
      assert.equal(failure, null);
      return last?.at as string | undefined;
    };
    const made: string[] = [];
    // Between two backups, each node checks twice whether one is due.
    for (let round = 0; nodes.length > 1; round++) {
      const at = await until(
        () => lastOf(nodes[0]!),
        (at) => at !== undefined && !made.includes(at),
        PATIENCE_MS,
      );
      made.push(at!);
      for (const node of nodes) assert.equal(await lastOf(node), at);
      const files = (await stored()).filter((name) => !name.includes("check"));
      assert.equal(files.length, made.length, files.join());
      if (round > 0) await cluster.stop(nodes.shift()!);
    }
    const times = made.map((at) => Date.parse(at));
    for (const [index, time] of times.entries()) {
      if (index > 0) assert.ok(time - times[index - 1]! >= EVERY_MS - 1000, made.join());
    }
  },
});
