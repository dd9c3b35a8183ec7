import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { runSql } from "../../query/run_sql.ts";
import type { Branch, DatabaseEngine } from "../../types.ts";
import { NO_POSTGRES, startTestServer, testBranch } from "../_test_server.ts";

const ignore = NO_POSTGRES !== undefined;
const skipped = ignore ? ` (skipped: ${NO_POSTGRES})` : "";
const DAY = 24 * 60 * 60_000;

async function run(engine: DatabaseEngine, branch: Branch, sql: string): Promise<string[]> {
  const rows: string[] = [];
  for await (const event of runSql(await engine.connect(branch, new Map()), sql)) {
    if (event.type === "error") throw new Error(event.message);
    if (event.type === "rows") rows.push(...event.rows.map((row) => row.join()));
  }
  return rows;
}

Deno.test({
  name: `LocalHistory restores a branch as it was at a given time${skipped}`,
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
    while ((await engine.history(source))?.since === null) await delay(50);
    const before = (await engine.history(source))!.since! - 1;
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
    await assert.rejects(engine.restore(source, testBranch("shop"), before), /that far/);
    const later = testBranch("later");
    await engine.create(later);
    await assert.rejects(engine.restore(later, testBranch("l"), moments[0]!), /did not exist/);
    assert.deepEqual(server.troubles, []);
  },
});
