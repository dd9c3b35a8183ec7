import assert from "node:assert/strict";
import { join } from "node:path";
import { TestGateway } from "../../_test_gateway.ts";
import { verifyPages } from "../../verify_pages.ts";
import { EmbeddedEngine } from "../embedded_engine.ts";
import { databaseProcessCommand } from "../process_command.ts";

/** Statements that change the sizes or the files of a table and its index. */
const CHANGES: readonly (readonly [sql: string, rows: number])[] = [
  ["INSERT INTO boats SELECT n, repeat('x', 500) FROM generate_series(1, 2000) AS n", 2000],
  ["DELETE FROM boats WHERE id > 100", 100],
  ["VACUUM (TRUNCATE) boats", 100],
  ["INSERT INTO boats SELECT n, repeat('y', 500) FROM generate_series(101, 3000) AS n", 3000],
  ["TRUNCATE boats", 0],
  ["INSERT INTO boats SELECT n, 'z' FROM generate_series(1, 500) AS n", 500],
  ["BEGIN; TRUNCATE boats; INSERT INTO boats VALUES (9000, 'gone'); ROLLBACK", 500],
  ["VACUUM FULL boats", 500],
  ["REINDEX TABLE boats", 500],
  ["CLUSTER boats USING boats_pkey", 500],
  ["INSERT INTO boats SELECT n, 'z' FROM generate_series(501, 4000) AS n", 4000],
  ["ALTER TABLE boats ALTER COLUMN name TYPE varchar(600)", 4000],
];

Deno.test("the embedded engine reports the right sizes of its files after each change", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-sizes-" });
  const command = databaseProcessCommand({ env: Deno.env.toObject() });
  const engine = new EmbeddedEngine({ folder: join(folder, "engine"), command });
  const gateway = new TestGateway(engine);
  const branch = await gateway.create();
  const countRows = async (client: Awaited<ReturnType<typeof gateway.connect>>) => {
    const { rows: [row] } = await client.query<{ whole: number; found: number }>(
      `SELECT (SELECT count(*)::int FROM boats) AS whole,
              (SELECT count(*)::int FROM generate_series(1, 4000) AS n JOIN boats ON id = n) AS found`,
    );
    return [row!.whole, row!.found];
  };
  const client = await gateway.connect(branch);
  await client.query("CREATE TABLE boats (id int PRIMARY KEY, name text)");
  for (const [sql, rows] of CHANGES) {
    await client.query(sql);
    assert.deepEqual(await countRows(client), [rows, rows], sql);
  }
  await client.end();
  await engine.stop(branch);
  const report = await verifyPages(join(folder, "engine", branch.id, "data"));
  assert.deepEqual(report.damaged, []);
  const again = await gateway.connect(branch);
  assert.deepEqual(await countRows(again), [4000, 4000]);
  await again.end();
  await gateway.close();
  await Deno.remove(folder, { recursive: true });
});
