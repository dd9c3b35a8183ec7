import assert from "node:assert/strict";
import { runSql } from "../query/run_sql.ts";
import type { Branch, DatabaseEngine } from "../types.ts";
import { NO_POSTGRES, startTestServer, testBranch } from "./_test_server.ts";
import { openServerEngine } from "./open_server.ts";

const ignore = NO_POSTGRES !== undefined;
const skipped = ignore ? ` (skipped: ${NO_POSTGRES})` : "";

async function rowsOf(engine: DatabaseEngine, branch: Branch, sql: string) {
  const events = await Array.fromAsync(runSql(await engine.connect(branch, new Map()), sql));
  assert.ok(!events.some(({ type }) => type === "error"), JSON.stringify(events.at(-1)));
  return events.flatMap((event) => event.type === "rows" ? event.rows : []);
}

Deno.test({
  name: `a role that can create databases and roles is enough on a remote server${skipped}`,
  ignore,
  fn: async () => {
    await using server = await startTestServer();
    const host = testBranch("host");
    await server.engine.create(host);
    await server.adminRun("CREATE ROLE keeper LOGIN CREATEDB CREATEROLE PASSWORD 'kept'");
    const dataFolder = await Deno.makeTempDir({ prefix: "svc-test-" });
    const socket = `${server.dataFolder}/postgres/socket`;
    const open = (password: string) =>
      openServerEngine({
        postgres: `postgres://keeper:${password}@localhost/postgres?host=${socket}`,
        dataFolder,
        memoryBytes: 1024 ** 3,
        onTrouble: () => {},
      });
    const engine = await open("kept");
    const [source, target, busy] = [testBranch("shop"), testBranch("shop"), testBranch("shop")];
    await engine.create(source);
    await rowsOf(engine, source, "CREATE TABLE t (x int); INSERT INTO t VALUES (1)");
    await engine.copy(source, target);
    const session = await engine.connect(source, new Map());
    await engine.copy(source, busy);
    await engine.stop(source);
    await session.close();
    for (const copy of [target, busy]) {
      await rowsOf(engine, copy, "ALTER TABLE t ADD y int; INSERT INTO t VALUES (2, 3)");
      assert.deepEqual(await rowsOf(engine, copy, "SELECT sum(x) FROM t"), [["3"]]);
    }
    assert.deepEqual(await rowsOf(engine, source, "SELECT * FROM t"), [["1"]]);
    const all = [source.id, target.id, busy.id].sort();
    assert.deepEqual([...await engine.list()].sort(), all, "others' branches are not listed");
    for (const id of all) await engine.remove(id);
    assert.deepEqual(await engine.list(), []);
    assert.equal((await server.engine.list()).length, 1);

    const wrong = await open("wrong");
    const { ready, problem } = await wrong.status();
    assert.equal(ready, false);
    assert.match(problem!, /password authentication failed for user "keeper"/);
    await wrong.close();
    await engine.close();
    await Deno.remove(dataFolder, { recursive: true });
  },
});
