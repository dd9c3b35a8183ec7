/** Tests limits on a client's statements, which must not affect clients of other databases. */
import assert from "node:assert/strict";
import pg from "pg";
import { ENGINES } from "./_test_engines.ts";
import { TestGateway } from "./_test_gateway.ts";
import { NO_POSTGRES } from "./server/_test_server.ts";
import type { Branch } from "./types.ts";

const { Client } = pg;

const ENDLESS = "SELECT count(*) FROM generate_series(1, 1000000000000) n WHERE n % 7 = 0";
const RECURSION =
  "WITH RECURSIVE again(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM again) SELECT max(n) FROM again";
/** Statements that use several gigabytes each. */
const MEMORY = `SET work_mem = '2000MB';
  SELECT length(a), length(b), length(c) FROM (
    SELECT string_agg(repeat('a', 1000000), '') AS a, string_agg(repeat('b', 1000000), '') AS b,
      string_agg(repeat('c', 1000000), '') AS c FROM generate_series(1, 900)) AS kept`;

/** Statements that are nested more deeply than any person would write. */
const NESTED: readonly string[] = [
  `SELECT ${"(".repeat(20_000)}1${")".repeat(20_000)}`,
  `SELECT ${"NOT ".repeat(50_000)}true`,
  `SELECT 1${" + 1".repeat(50_000)}`,
  `SELECT ${"(SELECT ".repeat(5_000)}1${")".repeat(5_000)}`,
  `SELECT ${"CASE WHEN true THEN ".repeat(10_000)}1${" END".repeat(10_000)}`,
  `SELECT 1${" UNION ALL SELECT 1".repeat(20_000)}`,
  `SELECT '${"[".repeat(20_000)}${"]".repeat(20_000)}'::jsonb`,
  `SELECT regexp_match('a', '${"(".repeat(20_000)}a${")".repeat(20_000)}')`,
];

/**
 * Matches errors about nesting from the parser, the stack check, and the regular expression check.
 */
const TOO_DEEP: ReadonlySet<string | undefined> = new Set(["42601", "54001", "2201B"]);

type Trial = (
  hostile: pg.Client,
  place: { readonly gateway: TestGateway; readonly branch: Branch },
) => Promise<void>;

const code = (error: unknown) => (error as { code?: string }).code;

const TRIALS: Readonly<Record<string, Trial>> = {
  "an endless statement is stopped by its time limit": async (hostile) => {
    for (const sql of [ENDLESS, RECURSION, "DO $$ BEGIN LOOP END LOOP; END $$"]) {
      await hostile.query("SET statement_timeout = '1s'");
      await assert.rejects(hostile.query(sql), (error) => code(error) === "57014");
    }
  },
  "a statement that needs too much memory fails": async (hostile) => {
    await assert.rejects(hostile.query(MEMORY), (error) => code(error) === "53200");
  },
  "statements that are nested too deeply fail, and the next ones run": async (
    _first,
    { gateway, branch },
  ) => {
    for (const sql of NESTED) {
      const client = await gateway.connect(branch);
      const refused = (error: unknown) => TOO_DEEP.has(code(error));
      await assert.rejects(client.query(sql), refused, sql.slice(0, 40));
      await client.end().catch(() => {});
    }
  },
  "ten thousand prepared statements, or an error that states the limit": async (
    hostile,
  ) => {
    let refused: unknown;
    for (let each = 0; each < 10_000 && refused === undefined; each++) {
      const named = { name: `s${each}`, text: `SELECT ${each}::int + $1::int AS n`, values: [1] };
      await hostile.query(named).catch((error) => refused = error);
    }
    if (refused !== undefined) assert.match(String(refused), /prepared statements/);
  },
  "clients beyond the limit get an error, and the others continue": async (
    hostile,
    { gateway, branch },
  ) => {
    const asked = Array.from(
      { length: branch.limits.connections + 30 },
      () => gateway.connect(branch).catch((error: unknown) => error),
    );
    const all = await Promise.all(asked);
    const clients = all.filter((each): each is pg.Client => each instanceof Client);
    const errors = all.filter((each) => !(each instanceof Client));
    assert.ok(errors.length >= 30, `${errors.length} of ${all.length} were refused`);
    for (const error of errors) assert.equal(code(error), "53300", String(error));
    assert.equal((await hostile.query("SELECT 1 AS n")).rows[0].n, 1);
    await Promise.all(clients.map((client) => client.end()));
  },
  "a flood of notifications does not fill up memory": async (hostile) => {
    await hostile.query("LISTEN flood");
    let heard = 0;
    hostile.on("notification", () => heard++);
    for (let round = 0; round < 20; round++) {
      await hostile.query(
        "SELECT pg_notify('flood', repeat('x', 1000) || n) FROM generate_series(1, 500) n",
      );
    }
    await hostile.query("SELECT 1");
    assert.equal(heard, 10_000);
  },
  "a thousand tables and large objects are dropped with their schema": async (hostile) => {
    await hostile.query(
      "DO $$ BEGIN FOR n IN 1..1000 LOOP EXECUTE format('CREATE TABLE t%s (x int)', n); END LOOP; END $$",
    );
    await hostile.query(
      "SELECT lo_from_bytea(0, decode(repeat('00', 100000), 'hex')) FROM generate_series(1, 50)",
    );
    assert.equal(
      (await hostile.query("SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'"))
        .rows[0].n,
      1000,
    );
  },
};

for (const [kind, open] of Object.entries(ENGINES)) {
  const lack = kind === "server" ? NO_POSTGRES : undefined;
  Deno.test({
    name: `hostile queries do not affect another project's database: ${kind}` +
      (lack === undefined ? "" : ` (skipped: ${lack})`),
    ignore: lack !== undefined,
    async fn(t) {
      const folder = await Deno.makeTempDir({ prefix: "svc-hostile-" });
      const gateway = new TestGateway(await open(folder));
      try {
        const neighbor = await gateway.connect(await gateway.create("vault"));
        await neighbor.query("CREATE TABLE vault (n int); INSERT INTO vault VALUES (42)");
        for (const [name, trial] of Object.entries(TRIALS)) {
          await t.step(name, () => tryBeside(neighbor, trial, gateway));
        }
        await neighbor.end();
      } finally {
        await gateway.close();
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

/** Runs a trial in its own database, while another client queries a different database. */
async function tryBeside(
  neighbor: pg.Client,
  trial: Trial,
  gateway: TestGateway,
): Promise<void> {
  const branch = await gateway.create("orders");
  const hostile = await gateway.connect(branch);
  let isOver = false;
  let answers = 0;
  const ask = async () => {
    while (!isOver) {
      assert.equal((await neighbor.query("SELECT n FROM vault")).rows[0].n, 42);
      answers++;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const asking = ask();
  try {
    await trial(hostile, { gateway, branch });
  } finally {
    isOver = true;
    await asking;
    await hostile.end().catch(() => {});
  }
  assert.ok(answers > 0);
  const again = await gateway.connect(branch);
  assert.equal((await again.query("SELECT 1 AS n")).rows[0].n, 1, "its owner can connect again");
  await again.end();
  await gateway.engine.remove(branch.id);
}
