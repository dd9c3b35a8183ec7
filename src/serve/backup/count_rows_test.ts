import assert from "node:assert/strict";
import {
  type Branch,
  databaseProcessCommand,
  EmbeddedEngine,
  runStatement,
} from "../../database/mod.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { join } from "node:path";
import { countRows } from "./count_rows.ts";

/** Tables with the privileges that a project can set on them. */
const SQL = `CREATE TABLE "odd ""name'" (n int);
  INSERT INTO "odd ""name'" VALUES (1), (2);
  CREATE TABLE parted (n int) PARTITION BY RANGE (n);
  CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (9);
  INSERT INTO parted VALUES (1);
  CREATE TABLE locked (n int);
  INSERT INTO locked VALUES (1);
  REVOKE ALL ON locked FROM CURRENT_USER;
  CREATE TABLE walled (n int);
  INSERT INTO walled VALUES (1);
  ALTER TABLE walled ENABLE ROW LEVEL SECURITY;
  ALTER TABLE walled FORCE ROW LEVEL SECURITY;
  CREATE POLICY fails ON walled USING (1 / (n - 1) = 0)`;

const branchOf = (id: string): Branch => ({
  id,
  database: "shop",
  role: `shop_${id}`,
  limits: { memoryMb: 256, connections: 20 },
});

Deno.test("countRows() counts only readable rows, so no project can block the platform's backups", async () => {
  await inTestFolder(async (folder) => {
    const env = Deno.env.toObject();
    const engine = new EmbeddedEngine({
      folder: join(folder, "databases"),
      command: databaseProcessCommand({ env }),
    });
    const [branch, unused] = [branchOf("0a18bdbc00000001"), branchOf("0a18bdbc00000002")];
    for (const each of [branch, unused]) await engine.create(each);
    const parameters = new Map([["user", branch.role], ["database", branch.database]]);
    for (const sql of SQL.split(";")) {
      const session = await engine.connect(branch, parameters);
      const result = await runStatement(session, sql, { params: [], maxCharacters: 1000 });
      assert.ok("rows" in result, JSON.stringify(result));
    }
    await engine.close();
    // No backup contains this database.
    await Deno.remove(join(folder, "databases", "template"), { recursive: true });
    const expected = [
      { id: branch.id, tables: 4, rows: 3 },
      { id: unused.id, tables: 0, rows: 0 },
    ];
    const byId = (one: { readonly id: string }, other: { readonly id: string }) =>
      one.id < other.id ? -1 : 1;
    assert.deepEqual(await countRows(folder, env), expected.sort(byId));
  });
});
