import assert from "node:assert/strict";
import pg from "pg";
import postgres from "postgres";
import { runProgram } from "../lib/spawn_program.ts";
import { ENGINES, shownNames } from "./_test_engines.ts";
import { TestGateway } from "./_test_gateway.ts";
import { NO_POSTGRES } from "./server/_test_server.ts";

type Contract = Readonly<Record<string, (gateway: TestGateway) => Promise<void>>>;

async function withClients(
  gateway: TestGateway,
  count: number,
  use: (...clients: pg.Client[]) => Promise<void>,
): Promise<void> {
  const branch = await gateway.shared();
  const clients: pg.Client[] = [];
  try {
    for (let each = 0; each < count; each++) clients.push(await gateway.connect(branch));
    await use(...clients);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    const last = await gateway.connect(branch);
    await last.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    await last.end();
  }
}

const sqlState = (state: string) => (error: unknown) => (error as { code?: string }).code === state;

/**
 * Sends cancel requests until a client's statement has ended, because early ones have no effect.
 */
async function cancelUntil(
  gateway: TestGateway,
  client: pg.Client,
  ended: Promise<unknown>,
): Promise<void> {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const bytes = new DataView(new ArrayBuffer(16));
  [16, 80877102, processID, secretKey].forEach((value, at) => bytes.setInt32(at * 4, value));
  const cancel = async () => {
    const conn = await Deno.connect({ hostname: "127.0.0.1", port: gateway.port });
    await conn.write(new Uint8Array(bytes.buffer));
    conn.close();
  };
  const again = setInterval(() => void cancel(), 200);
  try {
    await ended;
  } finally {
    clearInterval(again);
  }
}

const CONTRACT: Contract = {
  "accepts statements and values of several megabytes": (gateway) =>
    withClients(gateway, 1, async (client) => {
      const megabytes = "äb".repeat(1_000_000);
      const { rows: [value] } = await client.query("SELECT $1::text AS text", [megabytes]);
      assert.ok(value.text === megabytes);
      const { rows: [literal] } = await client.query(`SELECT length('${megabytes}') AS n`);
      assert.equal(literal.n, megabytes.length);
    }),
  "shows a client its own database and role, which is not a superuser": (gateway) =>
    withClients(gateway, 1, async (client) => {
      const { rows: [row] } = await client.query(
        `SELECT current_database() AS database, session_user AS role, rolsuper
         FROM pg_roles WHERE rolname = session_user`,
      );
      const { database, role } = shownNames(gateway.engine, await gateway.shared());
      assert.deepEqual({ ...row }, { database, role, rolsuper: false });
    }),

  "accepts creating an existing branch and removing a missing branch": async (gateway) => {
    const branch = await gateway.create();
    await gateway.engine.create(branch);
    assert.ok((await gateway.engine.list()).includes(branch.id));
    assert.ok(await gateway.engine.sizeOf(branch) > 1_000_000);
    await gateway.engine.remove(branch.id);
    await gateway.engine.remove(branch.id);
    assert.ok(!(await gateway.engine.list()).includes(branch.id));
  },

  "keeps committed data across a stop": async (gateway) => {
    const branch = await gateway.create();
    const before = await gateway.connect(branch);
    await before.query("CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)");
    await before.end();
    await gateway.engine.stop(branch);
    assert.equal(gateway.engine.isRunning(branch), false);
    const after = await gateway.connect(branch);
    assert.deepEqual((await after.query("SELECT n FROM kept")).rows, [{ n: 1 }]);
    await after.end();
    await gateway.engine.remove(branch.id);
  },

  "copies only committed data while the source is in use": async (gateway) => {
    const source = await gateway.create();
    const target = gateway.name();
    const client = await gateway.connect(source);
    await client.query("CREATE TABLE t (n int); INSERT INTO t VALUES (1)");
    const another = gateway.name();
    const copies = [target, another].map((each) => gateway.engine.copy(source, each));
    for (const method of await Promise.all(copies)) assert.match(method, /^(clone|copy)$/);
    await gateway.engine.remove(another.id);
    await client.query("INSERT INTO t VALUES (2)");
    const other = await gateway.connect(target);
    await other.query("INSERT INTO t VALUES (3)");
    assert.deepEqual((await other.query("SELECT n FROM t ORDER BY n")).rows, [{ n: 1 }, { n: 3 }]);
    assert.deepEqual((await client.query("SELECT n FROM t ORDER BY n")).rows, [{ n: 1 }, { n: 2 }]);
    const { role } = shownNames(gateway.engine, target);
    assert.equal((await other.query("SELECT session_user AS r")).rows[0].r, role);
    await Promise.all([client.end(), other.end()]);
    await gateway.engine.remove(source.id);
    await gateway.engine.remove(target.id);
  },

  "denies a client access to the server's files, programs and roles": (gateway) =>
    withClients(gateway, 1, async (client) => {
      await client.query("CREATE TABLE t (n text)");
      for (
        const statement of [
          "COPY t FROM PROGRAM 'id'",
          "COPY t TO '/tmp/svc-out'",
          "COPY t FROM '/etc/passwd'",
          "SELECT pg_read_file('/etc/passwd')",
          "SELECT pg_ls_dir('/')",
          "SELECT lo_export(lo_from_bytea(0, 'x'), '/tmp/svc-out')",
          "ALTER SYSTEM SET fsync = off",
          "CREATE ROLE other SUPERUSER",
          "SET ROLE postgres",
        ]
      ) {
        await assert.rejects(client.query(statement), statement);
      }
      await client.query("RESET SESSION AUTHORIZATION; RESET ROLE");
      await client.query("DISCARD ALL");
      await assert.rejects(client.query("SELECT pg_read_file('PG_VERSION')"), sqlState("42501"));
    }),

  "gives each session its own prepared statements and settings": (gateway) =>
    withClients(gateway, 2, async (one, two) => {
      await one.query({ name: "s", text: "SELECT 1 AS n" });
      await two.query({ name: "s", text: "SELECT 2 AS n" });
      await one.query("SET search_path TO pg_catalog");
      await two.query("SET statement_timeout TO '1234ms'");
      assert.equal((await one.query({ name: "s", text: "SELECT 1 AS n" })).rows[0].n, 1);
      assert.equal((await two.query({ name: "s", text: "SELECT 2 AS n" })).rows[0].n, 2);
      const show = async (client: pg.Client, name: string) =>
        (await client.query(`SELECT current_setting('${name}') AS v`)).rows[0].v;
      assert.equal(await show(one, "search_path"), "pg_catalog");
      assert.equal(await show(one, "statement_timeout"), "0");
      assert.equal(await show(two, "statement_timeout"), "1234ms");
      assert.equal(await show(two, "search_path"), '"$user", public');
    }),

  "limits settings changed by functions, views and blocks to their session": (gateway) =>
    withClients(gateway, 2, async (one, two) => {
      await one.query(`CREATE FUNCTION become(who text) RETURNS text LANGUAGE plpgsql AS
          $$ BEGIN RETURN set_config('app.who', who, false); END $$;
        CREATE VIEW v AS SELECT become('viewed') AS who;
        CREATE TABLE t (n int, who text DEFAULT become('defaulted'))`);
      const who = async (client: pg.Client): Promise<string | null> =>
        (await client.query("SELECT current_setting('app.who', true) AS v")).rows[0].v;
      const rounds = [
        ["SELECT become('alice')", "alice"],
        ["SELECT become('carol')", "carol"],
        ["TABLE v", "viewed"],
        ["INSERT INTO t VALUES (1)", "defaulted"],
        ["DO $$ BEGIN PERFORM become('done'); END $$", "done"],
        ["SELECT query_to_xml('SELECT become(''xml'')', true, true, '')", "xml"],
      ] as const;
      for (const [sql, expected] of rounds) {
        await one.query(sql);
        assert.ok(["", null].includes(await who(two)), `after ${sql}`);
        assert.equal(await who(one), expected);
      }
      await two.query("SELECT become('bob')");
      assert.deepEqual([await who(one), await who(two)], ["xml", "bob"]);
    }),

  "ends statements that take longer than statement_timeout allows": (gateway) =>
    withClients(gateway, 2, async (one, two) => {
      const slow = "SELECT count(*) FROM generate_series(1, 1000000000)";
      const isLate = (error: pg.DatabaseError) => {
        assert.deepEqual(
          [error.code, error.message],
          ["57014", "canceling statement due to statement timeout"],
        );
        return true;
      };
      await one.query("SET statement_timeout = 50");
      await assert.rejects(one.query(slow), isLate);
      await assert.rejects(one.query({ text: `${slow} AS n WHERE n > $1`, values: [0] }), isLate);
      assert.equal((await one.query("SELECT 1 AS n")).rows[0].n, 1);
      const { rows } = await two.query("SELECT count(*)::int AS n FROM generate_series(1, 500000)");
      assert.equal(rows[0].n, 500_000);
    }),

  "ends a session that idles in a transaction longer than its timeout allows": (gateway) =>
    withClients(gateway, 1, async (client) => {
      const ended = new Promise<pg.DatabaseError>((resolve) =>
        client.on("error", (error) => resolve(error as pg.DatabaseError))
      );
      await client.query("SET idle_in_transaction_session_timeout = 100");
      await client.query("BEGIN");
      assert.equal((await ended).code, "25P03");
    }),

  "runs transactions of several sessions, and rolls back one whose client disconnects": (gateway) =>
    withClients(gateway, 2, async (one, two) => {
      await one.query("CREATE TABLE t (n int)");
      await one.query("BEGIN");
      await one.query("INSERT INTO t VALUES (1)");
      const count = two.query("SELECT count(*)::int AS n FROM t");
      await one.query("COMMIT");
      assert.ok([0, 1].includes((await count).rows[0].n));
      await one.query("BEGIN");
      await one.query("INSERT INTO t VALUES (2)");
      (one as unknown as { connection: { stream: { destroy(): void } } }).connection.stream
        .destroy();
      assert.equal((await two.query("SELECT count(*)::int AS n FROM t")).rows[0].n, 1);
    }),

  "reports an error with its SQLSTATE and position, and continues": (gateway) =>
    withClients(gateway, 1, async (client) => {
      await assert.rejects(client.query("SELECT nothing"), (error: pg.DatabaseError) => {
        assert.equal(error.code, "42703");
        assert.equal(error.position, "8");
        return true;
      });
      await assert.rejects(client.query("SELECT $1::int", ["x"]), sqlState("22P02"));
      assert.equal((await client.query("SELECT $1::int AS n", [7])).rows[0].n, 7);
    }),

  "delivers one session's notifications to a listening session": (gateway) =>
    withClients(gateway, 2, async (one, two) => {
      const heard = new Promise<pg.Notification>((resolve) => one.on("notification", resolve));
      await one.query("LISTEN orders");
      await two.query("LISTEN other; UNLISTEN *");
      await two.query("NOTIFY orders, 'new'");
      assert.equal((await heard).payload, "new");
    }),

  "limits temporary tables to their session": (gateway) =>
    withClients(gateway, 2, async (one, two) => {
      await one.query("CREATE TEMP TABLE mine (n int); INSERT INTO mine VALUES (1)");
      assert.equal((await one.query("SELECT n FROM mine")).rows[0].n, 1);
      await one.end();
      await assert.rejects(two.query("SELECT n FROM mine"), sqlState("42P01"));
    }),

  "lets one session at a time hold an advisory lock": (gateway) =>
    withClients(gateway, 2, async (one, two) => {
      await one.query("SELECT pg_advisory_lock(7)");
      let isLocked = true;
      const second = two.query("SELECT pg_advisory_lock(7)").then(() => isLocked);
      await one.query("SELECT 1");
      isLocked = false;
      await one.query("SELECT pg_advisory_unlock(7)");
      assert.equal(await second, false);
    }),

  "responds immediately to a client that only tries an advisory lock": (gateway) =>
    withClients(gateway, 3, async (one, two, third) => {
      const tries = async (client: pg.Client, call: string, ...values: unknown[]) => {
        const { fields: [field], rows: [row] } = await client.query(`SELECT ${call}`, values);
        return [field!.name, row[field!.name]];
      };
      const name = "pg_try_advisory_lock";
      await one.query("SELECT pg_advisory_lock(-7), pg_advisory_lock(7, -8)");
      await one.query("SELECT pg_advisory_lock(hashtext('boats'))");
      const taken: readonly (readonly [string, ...unknown[]])[] = [
        [`${name}(-7)`],
        [`${name}($1)`, -7],
        [`${name}(7, -8) AS "Got"`],
        [`${name}($1::int, $2::int) got`, 7, -8],
        [`${name}(hashtext('boats'))`],
        [`${name}(hashtext($1))`, "boats"],
        ["pg_try_advisory_xact_lock(-7)"],
        ["pg_catalog.pg_try_advisory_lock_shared(-7)"],
      ];
      for (const [call, ...values] of taken) {
        const [column, isTaken] = await tries(two, call, ...values);
        assert.equal(isTaken, false, call);
        assert.ok(["Got", "got"].includes(column) || call.includes(column), call);
      }
      assert.deepEqual(await tries(one, `${name}(-7)`), [name, true], "it holds this lock");
      await one.query("SELECT pg_advisory_unlock(-7)");
      assert.deepEqual(await tries(two, `${name}($1)`, "9007199254740993"), [name, true]);
      assert.deepEqual(await tries(two, `${name}(8)`), [name, true]);
      assert.deepEqual(await tries(third, `${name}(8)`), [name, false]);
      await two.query("BEGIN");
      assert.deepEqual(await tries(two, `${name}(-7)`), [name, false]);
      assert.deepEqual(await tries(two, `${name}(hashtext('boats'))`), [name, false]);
      await two.query("COMMIT");
      await third.query("SELECT pg_advisory_lock(9)");
      await third.query("SELECT pg_advisory_unlock_all()");
      await third.query("DISCARD ALL");
      assert.deepEqual(await tries(third, `${name}(-7)`), [name, false], "another session has it");
      assert.deepEqual(await tries(third, `${name}(9007199254740993)`), [name, false]);
      await two.query("SELECT pg_advisory_unlock(8)");
      assert.deepEqual(await tries(third, `${name}(8)`), [name, true]);
      await one.query("SELECT pg_advisory_unlock(-7)");
      assert.deepEqual(await tries(third, `${name}(-7)`), [name, true]);
      await two.end();
      const isFree = async (): Promise<boolean> =>
        (await tries(third, `${name}(9007199254740993)`))[1] === true || await isFree();
      await isFree();
    }),

  "cancels the running statement": (gateway) =>
    withClients(gateway, 1, async (client) => {
      const long = client.query("SELECT count(*) FROM generate_series(1, 10000000000)");
      await cancelUntil(gateway, client, assert.rejects(long, sqlState("57014")));
      assert.equal((await client.query("SELECT 1 AS n")).rows[0].n, 1);
    }),

  "wakes a sleeping session after a cancel request": async (gateway) => {
    const branch = await gateway.shared();
    const [sleeper, other] = [await gateway.connect(branch), await gateway.connect(branch)];
    const slept = sleeper.query("SELECT pg_sleep(3600)");
    await cancelUntil(gateway, sleeper, assert.rejects(slept));
    await Promise.all([sleeper.end(), other.end()]);
    const next = await gateway.connect(branch);
    assert.equal((await next.query("SELECT 1 AS n")).rows[0].n, 1);
    await next.end();
  },

  "refuses endless or overly expensive statements, and continues": (gateway) =>
    withClients(gateway, 2, async (hostile, other) => {
      await hostile.query(`CREATE FUNCTION again(n int) RETURNS int LANGUAGE plpgsql
        AS 'BEGIN RETURN again(n + 1); END'`);
      await assert.rejects(hostile.query("SELECT again(1)"), sqlState("54001"));
      await assert.rejects(hostile.query("SELECT repeat('x', 2000000000)"), sqlState("54000"));
      const deep = `SELECT ${"(".repeat(20_000)}1${")".repeat(20_000)}`;
      await assert.rejects(hostile.query(deep));
      for (const client of [hostile, other]) {
        assert.equal((await client.query("SELECT 1 AS n")).rows[0].n, 1);
      }
    }),

  "serves the driver postgres, with its pipelines": async (gateway) => {
    const branch = await gateway.shared();
    const sql = postgres(gateway.url(branch), { max: 4, onnotice: () => {} });
    await sql`CREATE TABLE t (n int)`;
    await Promise.all(Array.from({ length: 40 }, (_, n) => sql`INSERT INTO t VALUES (${n})`));
    await sql.begin(async (inner) => {
      await inner`UPDATE t SET n = n + 1`;
    });
    const [row] = await sql`SELECT count(*)::int AS count, sum(n)::int AS sum FROM t`;
    assert.deepEqual({ ...row }, { count: 40, sum: 820 });
    await sql`DROP TABLE t`;
    await sql.end();
  },

  "serves psql, with COPY in both directions": async (gateway) => {
    const branch = await gateway.shared();
    const psql = async (input: string) => {
      const file = await Deno.makeTempFile();
      await Deno.writeTextFile(file, input);
      const args = ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-f", file];
      const { code, stdout, stderr } = await runProgram("psql", {
        args: [gateway.url(branch), ...args],
        stdin: "null",
      });
      await Deno.remove(file);
      assert.equal(new TextDecoder().decode(stderr), "");
      assert.equal(code, 0);
      return new TextDecoder().decode(stdout);
    };
    const lines = Array.from({ length: 5000 }, (_, n) => `${n}\tname ${n}`).join("\n");
    await psql(`CREATE TABLE t (n int, name text);\nCOPY t FROM STDIN;\n${lines}\n\\.\n`);
    assert.equal(await psql("COPY t TO STDOUT;"), `${lines}\n`);
    assert.match(await psql("\\d t"), /name\|text/);
    await psql("DROP TABLE t;");
  },

  "streams a large result": (gateway) =>
    withClients(gateway, 1, async (client) => {
      const { rows } = await client.query(
        "SELECT n, repeat('x', 100) AS x FROM generate_series(1, 100000) n",
      );
      assert.equal(rows.length, 100_000);
    }),

  "recreates a branch from its dump": async (gateway) => {
    const [source, target] = [await gateway.create(), await gateway.create()];
    const client = await gateway.connect(source);
    await client.query(`CREATE TABLE t (id serial PRIMARY KEY, name text NOT NULL);
      INSERT INTO t (name) VALUES ('O''Neill'), (E'two\\nlines')`);
    await client.end();
    const dump = await new Response(gateway.engine.dump(source, { schemaOnly: false })).text();
    assert.match(dump, /CREATE TABLE public\.t/);
    const schema = await new Response(gateway.engine.dump(source, { schemaOnly: true })).text();
    assert.doesNotMatch(schema, /Neill/);
    const later = await gateway.connect(source);
    await later.query("INSERT INTO t (name) VALUES ('after the dump')");
    await later.end();
    const other = await gateway.connect(target);
    await other.query(dump);
    const { rows } = await other.query("SELECT name FROM public.t ORDER BY id");
    assert.deepEqual(rows, [{ name: "O'Neill" }, { name: "two\nlines" }]);
    await other.end();
    await gateway.engine.remove(source.id);
    await gateway.engine.remove(target.id);
  },

  "dumps a branch after other readers have cancelled their dumps": async (gateway) => {
    const branch = await gateway.create();
    const dump = () => gateway.engine.dump(branch, { schemaOnly: false });
    for (const isEarly of [true, false]) {
      const reader = dump().getReader();
      if (!isEarly) await reader.read();
      await reader.cancel();
      await dump().cancel();
      assert.match(await new Response(dump()).text(), /PostgreSQL database dump complete/);
    }
    await gateway.engine.remove(branch.id);
  },
};

for (const [name, open] of Object.entries(ENGINES)) {
  const missing = name === "server" ? NO_POSTGRES : undefined;
  const title = `engine ${name}${missing === undefined ? "" : ` (skipped: ${missing})`}`;
  Deno.test({ name: title, ignore: missing !== undefined }, async (test) => {
    const folder = await Deno.makeTempDir({ prefix: "svc-contract-" });
    const gateway = new TestGateway(await open(folder));
    const only = Deno.env.get("SVC_CONTRACT") ?? "";
    for (const [title, run] of Object.entries(CONTRACT)) {
      if (!title.includes(only)) continue;
      await test.step(title, () => run(gateway));
    }
    await gateway.close();
    await Deno.remove(folder, { recursive: true });
  });
}
