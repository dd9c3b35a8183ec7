import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { runSql } from "../../query/run_sql.ts";
import type { Branch, DatabaseEngine } from "../../types.ts";
import { NO_POSTGRES, startTestServer, testBranch } from "../_test_server.ts";
import { planHistory } from "./history_files.ts";

const ignore = NO_POSTGRES !== undefined;
const skipped = ignore ? ` (left out: ${NO_POSTGRES})` : "";
const DAY = 24 * 60 * 60_000;
const NOW = Date.parse("2026-11-27T12:00:00Z");

const segment = (position: number, bytes = 16) => ({
  name: `00000001000000${Math.floor(position / 256).toString(16).padStart(2, "0")}000000` +
    (position % 256).toString(16).padStart(2, "0").toUpperCase(),
  bytes,
});
const base = (daysAgo: number, position: number, bytes = 10) => {
  const { name } = segment(position);
  const at = NOW - daysAgo * DAY;
  return { name: `${at}-${name}`, at, segment: name, bytes };
};
const plan = (
  bases: ReturnType<typeof base>[],
  positions: readonly number[],
  maxBytes = 100_000,
) => {
  const segments = positions.map((position) => segment(position));
  const found = planHistory({ bases, segments }, { keepMs: 2 * DAY, maxBytes, now: NOW });
  return {
    bases: found.bases.map((each) => bases.indexOf(each)),
    segments: found.segments.map((each) => positions[segments.indexOf(each)]),
    needsBase: found.needsBase,
  };
};

Deno.test("planHistory() keeps what the last days need, within the size limit", () => {
  assert.deepEqual(plan([], [3, 4]), { bases: [], segments: [3, 4], needsBase: true });
  assert.deepEqual(
    plan([base(4, 2), base(3, 4), base(1.5, 255), base(0.5, 257)], [2, 3, 4, 255, 256, 257]),
    { bases: [2, 3], segments: [255, 256, 257], needsBase: false },
    "a base before a gap leads nowhere",
  );
  assert.deepEqual(
    plan([base(4, 2), base(3, 3), base(1.5, 5), base(0.5, 6)], [2, 3, 4, 5, 6]),
    { bases: [1, 2, 3], segments: [3, 4, 5, 6], needsBase: false },
    "the newest base that is old enough stays",
  );
  assert.equal(plan([base(1, 2)], [2]).needsBase, true);
  assert.deepEqual(
    plan([base(0.9, 2), base(0.5, 4)], [2, 3, 4, 5], 60),
    { bases: [1], segments: [4, 5], needsBase: true },
    "the log since the newest base takes more than a quarter",
  );
});

async function run(engine: DatabaseEngine, branch: Branch, sql: string): Promise<string[]> {
  const rows: string[] = [];
  for await (const event of runSql(await engine.connect(branch, new Map()), sql)) {
    if (event.type === "error") throw new Error(event.message);
    if (event.type === "rows") rows.push(...event.rows.map((row) => row.join()));
  }
  return rows;
}

Deno.test({
  name: `LocalHistory restores a branch as it was at a time${skipped}`,
  ignore,
  fn: async () => {
    await using server = await startTestServer(undefined, {
      keepMs: DAY,
      maxBytes: 10 * 1024 ** 3,
      now: Date.now,
    });
    const { engine } = server;
    const source = testBranch("shop");
    await engine.create(source);
    await run(engine, source, "CREATE TABLE t (x int)");
    while ((await engine.history())?.since === null) await delay(50);
    const before = (await engine.history())!.since! - 1;
    const moments: number[] = [];
    for (const x of [1, 2, 3]) {
      await run(engine, source, `INSERT INTO t VALUES (${x})`);
      await delay(20);
      moments.push(Date.now());
      await delay(20);
    }
    await run(engine, source, "DROP TABLE t");
    for (const [index, moment] of [...moments.entries()].reverse()) {
      const target = testBranch("shop");
      await engine.restore(source, target, moment);
      const rows = await run(engine, target, "SELECT x FROM t ORDER BY x");
      assert.deepEqual(rows, ["1", "2", "3"].slice(0, index + 1));
      await run(engine, target, "ALTER TABLE t ADD y int");
    }
    const last = testBranch("shop");
    await engine.restore(source, last, Date.now());
    await assert.rejects(run(engine, last, "SELECT x FROM t"), /does not exist/);
    await assert.rejects(engine.restore(source, testBranch("shop"), before), /so far/);
    const later = testBranch("later");
    await engine.create(later);
    await assert.rejects(engine.restore(later, testBranch("l"), moments[0]!), /did not exist/);
    assert.deepEqual(server.troubles, []);
  },
});
