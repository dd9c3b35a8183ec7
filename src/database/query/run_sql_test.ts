import assert from "node:assert/strict";
import { NO_POSTGRES, startTestServer, testBranch } from "../server/_test_server.ts";
import { runSql, type RunSqlOptions } from "./run_sql.ts";
import type { SqlEvent } from "./types.ts";

const ignore = NO_POSTGRES !== undefined;
const skipped = ignore ? ` (skipped: ${NO_POSTGRES})` : "";

type Run = (sql: string, options?: RunSqlOptions) => AsyncGenerator<SqlEvent, void, void>;

async function withServer(use: (run: Run) => Promise<void>): Promise<void> {
  await using server = await startTestServer();
  const branch = testBranch("shop");
  await server.engine.create(branch);
  await use(async function* (sql, options) {
    yield* runSql(await server.engine.connect(branch, new Map()), sql, options);
  });
}

Deno.test({
  name: `runSql() yields the events of each statement${skipped}`,
  ignore,
  fn: () =>
    withServer(async (run) => {
      const all = (sql: string) => Array.fromAsync(run(sql));
      assert.deepEqual(await all("SELECT 1 AS a, NULL::text AS b; CREATE TABLE t (x int)"), [
        { type: "columns", columns: [{ name: "a", type: "int4" }, { name: "b", type: "text" }] },
        { type: "rows", rows: [["1", null]] },
        { type: "complete", command: "SELECT 1" },
        { type: "complete", command: "CREATE TABLE" },
      ]);
      assert.deepEqual(await all("SELECT '\u{1F512}', nothing"), [{
        type: "error",
        message: 'column "nothing" does not exist',
        sqlState: "42703",
        detail: null,
        hint: null,
        position: 13,
      }]);
      const notice = await all("DROP TABLE IF EXISTS gone");
      assert.deepEqual(notice.map(({ type }) => type), ["notice", "complete"]);
      const open = await all("BEGIN; INSERT INTO t VALUES (1)");
      assert.equal(open.at(-1)?.type, "notice");
      assert.deepEqual((await all("SELECT * FROM t")).map(({ type }) => type), [
        "columns",
        "complete",
      ]);
      const copied = await all("COPY (VALUES (1), (2)) TO STDOUT");
      assert.deepEqual(copied.slice(1), [
        { type: "rows", rows: [["1"], ["2"]] },
        { type: "complete", command: "COPY 2" },
      ]);
      const [refused] = await all("COPY t FROM STDIN");
      assert.equal(refused?.type === "error" && refused.sqlState, "57014");
    }),
});

Deno.test({
  name: `runSql() streams a million rows, and stops on abort or when no one reads them${skipped}`,
  ignore,
  fn: () =>
    withServer(async (run) => {
      const million = "SELECT n, 'row ' || n FROM generate_series(1, 1000000) n";
      let [rows, longest] = [0, 0];
      for await (const event of run(million)) {
        if (event.type !== "rows") continue;
        rows += event.rows.length;
        longest = Math.max(longest, event.rows.length);
      }
      assert.equal(rows, 1_000_000);
      assert.ok(longest < 10_000, `${longest} rows at a time`);
      const endless = "SELECT generate_series(1, 2000000000)";
      for await (const event of run(endless)) {
        if (event.type === "rows") break;
      }
      const stop = new AbortController();
      let error: SqlEvent | undefined;
      for await (const event of run(endless, { signal: stop.signal })) {
        stop.abort();
        error = event;
      }
      assert.equal(error?.type === "error" && error.sqlState, "57014");
    }),
});

Deno.test({
  name: `runSql() lets no statement escape read-only mode${skipped}`,
  ignore,
  fn: () =>
    withServer(async (run) => {
      const all = (sql: string) => Array.fromAsync(run(sql, { readOnly: true }));
      await Array.fromAsync(run("CREATE TABLE t (x int); INSERT INTO t VALUES (1)"));
      const attempts: readonly (readonly [string, string])[] = [
        ["DELETE FROM t", "25006"],
        ["COMMIT; DELETE FROM t", "25006"],
        ["/* a */ ; -- b\n rollback; DELETE FROM t", "25006"],
        ["SET TRANSACTION READ WRITE; DELETE FROM t", "25001"],
        ["SET transaction_read_only = off; DELETE FROM t", "25001"],
        ["SELECT set_config('transaction_read_only', 'off', true); DELETE FROM t", "25001"],
        ["SET default_transaction_read_only = off; DELETE FROM t", "25006"],
        ["DO $$ BEGIN COMMIT; DELETE FROM t; END $$", "2D000"],
        ["SET standard_conforming_strings = off; SELECT '\\'; COMMIT; DELETE FROM t; --'", "42601"],
        ["WITH gone AS (DELETE FROM t RETURNING x) SELECT * FROM gone", "25006"],
        ["SAVEPOINT s; DELETE FROM t", "25006"],
        ["COPY t TO '/tmp/out'", "25006"],
        ["SELECT 1; SELECT nothing", "42703"],
      ];
      for (const [sql, state] of attempts) {
        const error = (await all(sql)).at(-1);
        assert.equal(error?.type === "error" && error.sqlState, state, sql);
      }
      const error = (await all("SELECT 1; SELECT nothing")).at(-1);
      assert.equal(error?.type === "error" && error.position, 18);
      const rows = await all("SELECT * FROM t; SHOW transaction_read_only");
      assert.deepEqual(rows.filter(({ type }) => type === "rows"), [
        { type: "rows", rows: [["1"]] },
        { type: "rows", rows: [["on"]] },
      ]);
    }),
});
