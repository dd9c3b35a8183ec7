import assert from "node:assert/strict";
import { DenoStore } from "../../store/mod.ts";
import type { DatabaseRecord } from "./records.ts";
import { UsageSamples } from "./usage_samples.ts";

const MINUTE = 60_000;
const BEGIN = Date.parse("2026-11-27T12:00:00Z");

const database: DatabaseRecord = {
  id: "d1",
  workspaceId: "w",
  projectId: "p",
  name: "orders",
  engine: "embedded",
  cuSize: "0.25",
  autoInject: true,
  envVar: "DATABASE_URL",
  environments: null,
  previewBranches: false,
  stopped: false,
  createdAt: BEGIN,
  deletedAt: null,
};

/** Two nodes that sample the same database. */
async function withNodes(
  run: (test: {
    sample(node: 0 | 1, minute: number, connections: number): Promise<void>;
    read(minute: number): ReturnType<UsageSamples["read"]>;
    readonly measured: () => number;
  }) => Promise<void>,
): Promise<void> {
  using kv = await DenoStore.open(":memory:");
  let [now, connections, measured] = [0, 0, 0];
  const nodes = ["n0", "n1"].map((node) =>
    new UsageSamples({
      kv,
      node,
      now: () => now,
      sizeOf: () => Promise.resolve(++measured * 1000),
      connectionsOf: () => Promise.resolve(connections),
    })
  );
  const all = async function* () {
    yield await Promise.resolve(database);
    yield { ...database, id: "deleted", deletedAt: BEGIN };
  };
  await run({
    async sample(node, minute, open) {
      [now, connections] = [BEGIN + minute * MINUTE, open];
      await nodes[node]!.sampleAll(all(), new AbortController().signal);
    },
    read(minute) {
      now = BEGIN + minute * MINUTE;
      return nodes[0]!.read(database);
    },
    measured: () => measured,
  });
}

Deno.test("UsageSamples shows a new database's usage per minute, including clients on all nodes", () =>
  withNodes(async ({ sample, read }) => {
    await sample(0, 1, 2);
    await sample(1, 1, 3);
    await sample(0, 2, 0);
    const { stepSeconds, steps } = await read(3);
    assert.equal(stepSeconds, 60);
    assert.deepEqual(steps.map(({ time, connections }) => [time, connections]), [
      ["2026-11-27T12:01:00.000Z", 5],
      ["2026-11-27T12:02:00.000Z", 0],
    ]);
    assert.equal(steps[1]!.sizeBytes, 3000);
  }));

Deno.test("UsageSamples shows ten-minute peaks for an older database, and writes a sample only if the peak rises", () =>
  withNodes(async ({ sample, read, measured }) => {
    for (const [minute, open] of [[130, 1], [131, 4], [135, 0], [139, 4], [140, 0]] as const) {
      await sample(0, minute, open);
    }
    const { stepSeconds, steps } = await read(141);
    assert.equal(stepSeconds, 600);
    assert.deepEqual(steps.map(({ time, connections }) => [time, connections]), [
      ["2026-11-27T14:10:00.000Z", 4],
      ["2026-11-27T14:20:00.000Z", 0],
    ]);
    assert.equal(measured(), 3);
  }));
