/**
 * The servers behind the nodes fail: the primary is killed or paused, all of PostgreSQL is down,
 * object storage is down, or a node loses its connection. Throughout, the nodes must serve sites,
 * and reject writes with 503 and `Retry-After`. Nothing that was acknowledged may be lost. The test
 * takes minutes, so it runs only in the long form.
 */
import assert from "node:assert/strict";
import { until } from "../../src/lib/_test_until.ts";
import { sha256 } from "../helpers/platform.ts";
import { IS_LONG, Machines, type Node } from "../helpers/machines/machines.ts";
import { startVisitor, type Visitor } from "../helpers/machines/visitor.ts";
import { keepWriting, type Workload } from "../helpers/machines/workload.ts";
import { deployments, events, projects, signIns } from "../helpers/machines/workloads.ts";

const STOOD_STILL_MS = 30_000;
const DOWN_MS = 60_000;
/**
 * With these Patroni settings, a failover takes 20 seconds, and requests that wait for the failover
 * take longer.
 */
const PATIENCE_MS = 90_000;

const say = (text: string) => Deno.stderr.write(new TextEncoder().encode(`${text}\n`));
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const acknowledgedBy = (workloads: readonly Workload[]): number =>
  workloads.reduce((sum, { acknowledged }) => sum + acknowledged, 0);

/** Causes an outage during writes, waits until writes succeed again, and checks the ledger. */
async function survive(
  machines: Machines,
  { name, workloads, visitor, outage }: {
    readonly name: string;
    readonly workloads: readonly Workload[];
    readonly visitor: Visitor;
    readonly outage: () => Promise<void>;
  },
): Promise<void> {
  const { served } = visitor;
  const writing = keepWriting(workloads);
  const began = performance.now();
  await until(() => acknowledgedBy(workloads) > 0);
  await outage();
  for (const workload of workloads) {
    const { acknowledged } = workload;
    const goesOn = until(() => workload.acknowledged > acknowledged, Boolean, PATIENCE_MS);
    await Promise.race([goesOn, writing.ended]).catch(async (cause) => {
      const last = writing.refused.filter((each) => each.startsWith(workload.name)).slice(-3);
      const { patroni } = machines;
      const roles = await patroni.roles(await patroni.primary());
      throw new Error(`No ${workload.name}: ${[...last, ...roles].join("; ")}`, { cause });
    });
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  await writing.stop();
  for (const each of workloads) await each.check(machines);
  assert.deepEqual(visitor.failures, [], `${name}: sites are served without interruption`);
  const counts = workloads.map((each) => `${each.acknowledged} ${each.name}`).join(", ");
  await say(
    `${name}: ${seconds} s; acknowledged so far ${counts}; ${writing.refused.length} refused; ` +
      `${visitor.served - served} pages served`,
  );
}

/** Checks that a write is rejected as in an outage, with 503 and `Retry-After`. */
async function refusesWrites(node: Node): Promise<void> {
  const answer = await node.api("POST", "/v1/projects", { json: { name: "refused" } });
  assert.deepEqual([answer.status, answer.json.code], [503, "unavailable"], node.name);
  assert.ok(Number(answer.headers.get("retry-after")) > 0);
}

/** Waits until a node reports a status. */
async function says(node: Node, path: string, status: number): Promise<void> {
  await until(async () => {
    const answer = await fetch(`${node.url}${path}`);
    await answer.body?.cancel();
    return answer.status === status;
  });
}

Deno.test({
  name: "nothing is lost when PostgreSQL and the object storage fail in turn",
  ignore: !IS_LONG,
  async fn() {
    await using machines = await Machines.start();
    const { patroni, storage, nodes } = machines;
    const workloads = [
      await deployments(machines),
      projects(machines),
      events(machines),
      await signIns(machines),
    ];
    const visitor = await startVisitor(machines);
    const given = { workloads, visitor };

    await survive(machines, {
      ...given,
      name: "kill -9 of the primary",
      async outage() {
        const primary = await patroni.primary();
        await patroni.kill(primary);
        await patroni.primary(primary);
        await patroni.start(primary);
        await patroni.hasSynchronousStandby();
      },
    });

    await survive(machines, {
      ...given,
      name: "the primary is paused, and resumes after another server has taken over",
      async outage() {
        const primary = await patroni.primary();
        await patroni.pause(primary);
        await Promise.all([pass(STOOD_STILL_MS), patroni.primary(primary)]);
        await patroni.resume(primary);
        await patroni.hasSynchronousStandby();
      },
    });

    await survive(machines, {
      ...given,
      name: "PostgreSQL is down completely",
      async outage() {
        for (const name of patroni.names) await patroni.kill(name);
        const end = performance.now() + DOWN_MS;
        // The first writes wait for a failover. Later writes are rejected immediately.
        for (const node of nodes) await refusesWrites(node);
        for (const node of nodes) {
          await says(node, "/readyz", 503);
          await says(node, "/healthz", 200);
        }
        await pass(end - performance.now());
        for (const node of nodes) await refusesWrites(node);
        const balanced = await machines.api("POST", "/v1/projects", { json: { name: "refused" } });
        assert.deepEqual([balanced.status, balanced.json.code], [503, "unavailable"]);
        assert.ok(Number(balanced.headers.get("retry-after")) > 0);
        for (const name of patroni.names) await patroni.start(name);
        await patroni.primary();
        for (const node of nodes) await says(node, "/readyz", 200);
      },
    });

    await survive(machines, {
      ...given,
      name: "the object storage is down",
      async outage() {
        await storage.kill();
        const { status, headers } = await nodes[0].api("POST", "/v1/blobs", {
          body: form("not stored"),
        });
        assert.equal(status, 503);
        assert.ok(Number(headers.get("retry-after")) > 0);
        await storage.start();
      },
    });
    await visitor.stop();
  },
});

function form(content: string): FormData {
  const data = new FormData();
  data.set(sha256(content), new Blob([content]), "blob");
  return data;
}
