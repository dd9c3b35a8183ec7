/**
 * Tests that two databases cannot see each other. A client of one database runs a list of hostile
 * statements while a client of the other one is connected.
 */
import assert from "node:assert/strict";
import pg from "pg";
import { HARMLESS, REFUSED } from "./_hostile_statements.ts";
import { ENGINES, shownNames } from "./_test_engines.ts";
import { TestGateway } from "./_test_gateway.ts";
import { NO_POSTGRES } from "./server/_test_server.ts";

/** A value, a statement and a password of the other client. */
const SECRETS = ["row-8f2c", "statement-8f2c", "password-8f2c", "SCRAM-SHA-256$"];

const SETUP = `CREATE TABLE vault (secret text); INSERT INTO vault VALUES ('row-8f2c');
  CREATE FUNCTION keep() RETURNS text LANGUAGE sql AS $$ SELECT 'statement-8f2c'::text $$`;

interface Tried {
  readonly rows: readonly unknown[];
  readonly code: string | undefined;
  readonly message: string;
}

async function attempt(client: pg.Client, sql: string): Promise<Tried> {
  try {
    const results = [await client.query(sql)].flat();
    return { rows: results.flatMap(({ rows }) => rows ?? []), code: undefined, message: "" };
  } catch (error) {
    assert.ok(error instanceof pg.DatabaseError, `${sql} cut the connection: ${error}`);
    return { rows: [], code: error.code, message: `${error.message} ${error.detail ?? ""}` };
  }
}

/** Errors that count as a rejection of a statement. A syntax error would prove nothing. */
const REFUSALS: ReadonlySet<string> = new Set([
  "42501",
  "0A000",
  "55P02",
  "22023",
  "42939",
  "58P01",
  // The named object does not exist.
  "42704",
  "3D000",
  "42P01",
]);

for (const [kind, open] of Object.entries(ENGINES)) {
  const lack = kind === "server" ? NO_POSTGRES : undefined;
  Deno.test({
    name: `no statement of a client reaches another database or the machine: ${kind}` +
      (lack === undefined ? "" : ` (skipped: ${lack})`),
    ignore: lack !== undefined,
    async fn() {
      const folder = await Deno.makeTempDir({ prefix: "svc-isolation-" });
      const gateway = new TestGateway(await open(folder));
      try {
        await tryAll(kind, gateway);
      } finally {
        await gateway.close();
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

async function tryAll(kind: string, gateway: TestGateway): Promise<void> {
  const [own, other] = [await gateway.create("orders"), await gateway.create("vault")];
  const neighbor = await gateway.connect(other);
  await neighbor.query(SETUP);
  const names = shownNames(gateway.engine, other);
  await neighbor.query(`ALTER ROLE "${names.role}" PASSWORD 'password-8f2c'`).catch(() => {});
  const { rows: [{ pid }] } = await neighbor.query("SELECT pg_backend_pid() AS pid");
  const client = await gateway.connect(own);
  await client.query("CREATE TABLE t (n text)");

  // A server shows the names of all databases, but the names reveal nothing
  // (decisions/databases.md).
  const hidden = [...SECRETS, other.role, ...kind === "server" ? [] : Object.values(names)];
  const run = async (statement: string) => {
    const sql = statement.replaceAll("<database>", names.database)
      .replaceAll("<role>", names.role).replaceAll("<pid>", String(pid));
    const tried = await attempt(client, sql);
    const shown = JSON.stringify(tried.rows);
    for (const secret of hidden) assert.ok(!shown.includes(secret), `${sql} shows ${secret}`);
    for (const secret of SECRETS) assert.ok(!tried.message.includes(secret), tried.message);
    return tried;
  };
  for (const statement of REFUSED) {
    const { code, rows } = await run(statement);
    assert.ok(code !== undefined, `${statement} succeeded: ${JSON.stringify(rows)}`);
    assert.ok(REFUSALS.has(code), `${statement} failed with another code: ${code}`);
  }
  for (const statement of HARMLESS) await run(statement);

  const { rows: [rights] } = await client.query(
    `SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS any
     FROM pg_roles WHERE rolname = session_user`,
  );
  assert.equal(rights.any, false, "the client has gained a privilege");
  const { rows } = await neighbor.query("SELECT secret, keep() FROM vault");
  assert.deepEqual(rows, [{ secret: "row-8f2c", keep: "statement-8f2c" }], "on its connection");
  await Promise.all([client.end(), neighbor.end()]);
}
