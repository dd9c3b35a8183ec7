/**
 * Clients that commit numbers to a table and record acknowledged commits, for tests that kill
 * processes.
 *
 * @module
 */
import assert from "node:assert/strict";
import pg from "pg";
import type { Sandbox } from "./sandbox.ts";

export async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  return client;
}

export interface Writer {
  /** The numbers whose commits have been acknowledged. */
  readonly ledger: number[];
  /** Resolves when the connection is lost. */
  readonly ended: Promise<void>;
}

/** Commits one number after another, some of them with a second row in the same transaction. */
export async function startWriter(url: string, writer: number): Promise<Writer> {
  const client = await connect(url);
  const ledger: number[] = [];
  const write = async (n: number): Promise<void> => {
    const insert = "INSERT INTO ledger VALUES ($1, $2, $3)";
    if (n % 5 > 0) return void await client.query(insert, [writer, n, 0]);
    await client.query("BEGIN");
    await client.query(insert, [writer, n, 0]);
    await client.query(insert, [writer, n, 1]);
    await client.query("COMMIT");
  };
  const run = async () => {
    try {
      for (let n = 0;; n++) {
        await write(n);
        ledger.push(n);
      }
    } catch {
      await client.end().catch(() => {});
    }
  };
  return { ledger, ended: run() };
}

export async function databaseUrl(box: Sandbox): Promise<string> {
  const { code, stdout, stderr } = await box.tool(["db", "connection"]);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

/** Compares the table with the acknowledged numbers. Returns the number of rows. */
export async function checkLedgers(
  url: string,
  ledgers: readonly (readonly number[])[],
): Promise<number> {
  const client = await connect(url);
  const { rows } = await client.query<{ writer: number; n: number; part: number }>(
    "SELECT writer, n, part FROM ledger",
  );
  await client.end();
  const kept = new Set(rows.map(({ writer, n, part }) => `${writer}/${n}/${part}`));
  const wanted = ledgers.flatMap((ledger, writer) =>
    ledger.flatMap((n) =>
      n % 5 > 0 ? [`${writer}/${n}/0`] : [`${writer}/${n}/0`, `${writer}/${n}/1`]
    )
  );
  assert.deepEqual(wanted.filter((row) => !kept.has(row)), [], "No acknowledged commit is lost");
  const halves = rows.filter(({ writer, n, part }) =>
    n % 5 === 0 && !kept.has(`${writer}/${n}/${1 - part}`)
  );
  assert.deepEqual(halves, [], "No transaction is stored partially");
  return rows.length;
}

/** Creates the table for the writers. */
export async function makeLedger(url: string): Promise<void> {
  const client = await connect(url);
  await client.query(
    "CREATE TABLE ledger (writer int, n int, part int, PRIMARY KEY (writer, n, part))",
  );
  await client.end();
}
