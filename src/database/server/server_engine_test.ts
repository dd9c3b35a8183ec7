import assert from "node:assert/strict";
import { runSql } from "../query/run_sql.ts";
import type { SqlEvent } from "../query/types.ts";
import { until } from "../../lib/_test_until.ts";
import type { Branch, DatabaseEngine } from "../types.ts";
import { serverName } from "./names.ts";
import { NO_POSTGRES, startTestServer, testBranch } from "./_test_server.ts";

const ignore = NO_POSTGRES !== undefined;
const skipped = ignore ? ` (skipped: ${NO_POSTGRES})` : "";

async function run(engine: DatabaseEngine, branch: Branch, sql: string): Promise<SqlEvent[]> {
  return await Array.fromAsync(runSql(await engine.connect(branch, new Map()), sql));
}

async function valueOf(engine: DatabaseEngine, branch: Branch, sql: string) {
  const events = await run(engine, branch, sql);
  const rows = events.find((event) => event.type === "rows");
  assert.ok(rows?.type === "rows", JSON.stringify(events));
  return rows.rows[0]![0];
}

async function errorOf(engine: DatabaseEngine, branch: Branch, sql: string) {
  const last = (await run(engine, branch, sql)).at(-1);
  assert.equal(last?.type, "error", JSON.stringify(last));
  return last?.type === "error" ? last : assert.fail();
}

Deno.test({
  name: `ServerEngine copies a branch with and without sessions on it${skipped}`,
  ignore,
  fn: async () => {
    await using server = await startTestServer();
    const { engine } = server;
    const source = testBranch("shop");
    await engine.create(source);
    await engine.create(source);
    await run(
      engine,
      source,
      `CREATE SCHEMA inner_rooms; CREATE TABLE inner_rooms.t (id serial PRIMARY KEY, x text);
      INSERT INTO inner_rooms.t (x) SELECT 'a' FROM generate_series(1, 100);
      CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'; CREATE EXTENSION pgcrypto`,
    );
    const quiet = testBranch("shop");
    await engine.copy(source, quiet);
    const session = await engine.connect(source, new Map());
    const busy = testBranch("shop");
    await engine.copy(source, busy);
    await session.close();
    for (const copy of [quiet, busy]) {
      await run(engine, copy, "INSERT INTO inner_rooms.t (x) VALUES ('b')");
      assert.equal(await valueOf(engine, copy, "SELECT max(id) FROM inner_rooms.t"), "101");
      await run(engine, copy, "DROP FUNCTION f(); DROP SCHEMA inner_rooms CASCADE");
      const left = "SELECT count(*) FROM pg_tables WHERE schemaname = 'inner_rooms'";
      assert.equal(await valueOf(engine, copy, left), "0", "its role owns everything");
    }
    assert.equal(await valueOf(engine, source, "SELECT count(*) FROM inner_rooms.t"), "100");
    assert.equal(await valueOf(engine, source, "SELECT f()"), "1");
    await run(engine, source, "CREATE SCHEMA later");

    const ids = [source, quiet, busy].map(({ id }) => id).sort();
    assert.deepEqual([...await engine.list()].sort(), ids);
    assert.ok(await engine.sizeOf(source) > 1_000_000);
    await engine.remove(busy.id);
    await engine.remove(busy.id);
    assert.equal((await engine.list()).includes(busy.id), false);
    await assert.rejects(engine.connect(busy, new Map()), { sqlState: "3D000" });
    assert.deepEqual(server.troubles, []);
  },
});

Deno.test({
  name:
    `ServerEngine removes a branch once no statement of a killed platform needs its role${skipped}`,
  ignore,
  fn: async () => {
    await using server = await startTestServer();
    const branch = testBranch("shop");
    await server.engine.create(branch);
    const role = serverName(branch);
    await server.adminRun(`CREATE TABLE held (); ALTER TABLE held OWNER TO ${role}`);
    const ended: string[] = [];
    const removed = server.engine.remove(branch.id).then(() => ended.push("removed"));
    // The first attempt fails while the role owns the table.
    await until(() => server.engine.holds(branch), (holds) => !holds);
    ended.push("dropped");
    await server.adminRun("DROP TABLE held");
    await removed;
    assert.deepEqual(ended, ["dropped", "removed"]);
    assert.deepEqual(await server.engine.list(), []);
  },
});

Deno.test({
  name: `ServerEngine isolates branches, and grants only the privileges that they need${skipped}`,
  ignore,
  fn: async () => {
    await using server = await startTestServer();
    const { engine } = server;
    const [one, other] = [testBranch("one"), testBranch("other")];
    await engine.create(one);
    await engine.create(other);
    const database = `svc_${other.id}`;
    const mayConnect = `SELECT has_database_privilege('${database}', 'CONNECT')`;
    assert.equal(await valueOf(engine, one, mayConnect), "f");
    const refused = [
      "CREATE ROLE intruder",
      "CREATE DATABASE intruder",
      `SET ROLE svc_${other.id}`,
      `DROP DATABASE ${database}`,
      "SELECT pg_read_file('/etc/passwd')",
      "COPY (SELECT 1) TO PROGRAM 'id'",
      "SELECT rolpassword FROM pg_authid",
    ];
    for (const sql of refused) {
      assert.equal((await errorOf(engine, one, sql)).sqlState, "42501", sql);
    }
    await run(engine, one, `ALTER ROLE svc_${one.id} PASSWORD 'mine'`);
    assert.equal(await valueOf(engine, one, "SELECT 1"), "1", "the password is set again");
    for await (const { name } of Deno.readDir(`${server.dataFolder}/postgres/data/log`)) {
      const log = await Deno.readTextFile(`${server.dataFolder}/postgres/data/log/${name}`);
      assert.doesNotMatch(log, /intruder|SELECT|mine/);
    }
  },
});

Deno.test({
  name: `ServerEngine applies limits that were changed after a branch was created${skipped}`,
  ignore,
  fn: async () => {
    await using server = await startTestServer();
    const branch = testBranch("shop", 1);
    await server.engine.create(branch);
    const larger = { ...branch, limits: { memoryMb: 1024, connections: 20 } };
    const sessions = [];
    for (let n = 0; n < 20; n++) sessions.push(await server.engine.connect(larger, new Map()));
    for (const session of sessions) await session.close();
    assert.equal(await valueOf(server.engine, larger, "SHOW work_mem"), "32MB");
  },
});

Deno.test({
  name: `ServerEngine dumps a branch as SQL that recreates it${skipped}`,
  ignore,
  fn: async () => {
    await using server = await startTestServer();
    const { engine } = server;
    const [source, target] = [testBranch("shop"), testBranch("shop")];
    await engine.create(source);
    await engine.create(target);
    const odd = "it''s; \\restrict x\n\\unrestrict y";
    await run(
      engine,
      source,
      `CREATE TABLE t (id int PRIMARY KEY, x text); INSERT INTO t VALUES (1, '${odd}'), (2, NULL)`,
    );
    const sql = await new Response(engine.dump(source, { schemaOnly: false })).text();
    assert.doesNotMatch(sql, /^\\(?:un)?restrict \w{20}/m);
    const events = await run(engine, target, sql);
    assert.ok(!events.some(({ type }) => type === "error"), JSON.stringify(events.at(-1)));
    assert.equal(
      await valueOf(engine, target, "SELECT x FROM t WHERE id = 1"),
      odd.replace("''", "'"),
    );
    const schema = await new Response(engine.dump(source, { schemaOnly: true })).text();
    assert.match(schema, /CREATE TABLE public\.t/);
    assert.doesNotMatch(schema, /INSERT/);
  },
});
