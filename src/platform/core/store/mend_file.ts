/**
 * Sets aside rows that Deno KV cannot read, in the database file itself. A damaged key makes Deno
 * KV fail, and a damaged counter makes it crash the process.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { deserialize } from "node:v8";
import { decodeKey, encodeKey, type RecordKey } from "../../../store/mod.ts";
import { decodeValue, ValueDamagedError } from "./portable_values.ts";
import { asideKey, asideUntil, asideValue, describeDamage } from "./set_aside.ts";

/** How Deno KV encodes a value's type. */
export const ENCODING = { v8: 1, counter: 2, bytes: 3 } as const;

const COUNTER_BYTES = 8;

/** Maximum wait for the database, in milliseconds. */
const BUSY_MS = 30_000;

/** Rows with columns of the wrong type. The database finds them itself. */
const WRONG_ROWS = `SELECT k, v, v_encoding FROM kv WHERE typeof(k) <> 'blob'
  OR typeof(v) <> 'blob' OR v_encoding NOT IN (1, 2, 3) OR (v_encoding = 2 AND length(v) <> 8)`;
const ALL_ROWS = "SELECT * FROM kv";

interface Row {
  readonly k: unknown;
  readonly v: unknown;
  readonly v_encoding: number;
  readonly version: number;
  readonly seq: number;
  readonly expiration_ms: number;
}

/** Returns why a row cannot be read; `undefined` if it can be read. */
function faultOf({ k, v, v_encoding }: Row): unknown {
  try {
    if (!(k instanceof Uint8Array) || k.byteLength === 0) return new TypeError("It has no key");
    const key = decodeKey(k);
    if (!(v instanceof Uint8Array)) return new TypeError("It has no value");
    if (v_encoding === ENCODING.bytes) decodeValue(key, v);
    else if (v_encoding === ENCODING.v8) deserialize(v);
    else if (v_encoding !== ENCODING.counter || v.byteLength !== COUNTER_BYTES) {
      return new TypeError("Its type is unknown");
    }
    return undefined;
  } catch (error) {
    if (error instanceof ValueDamagedError) return error;
    return new Error("It was changed on disk", { cause: error });
  }
}

/** Returns the key in readable form, or its raw bytes if it cannot be decoded. */
function shownKey(k: unknown): RecordKey {
  if (!(k instanceof Uint8Array)) return [String(k)];
  try {
    return decodeKey(k);
  } catch {
    return [k];
  }
}

const bytesOf = (value: unknown): Uint8Array<ArrayBuffer> =>
  value instanceof Uint8Array
    ? Uint8Array.from(value)
    : new TextEncoder().encode(value === null ? "" : String(value));

interface MendOptions {
  /** Whether to read every row. This takes one second per 100,000 rows. */
  readonly readsAll: boolean;
  readonly now: number;
  readonly onDamaged: (message: string) => void;
}

/**
 * Sets aside rows that Deno KV cannot read. Returns the number of these rows.
 *
 * @throws for damaged files.
 */
export async function mendFile(path: string, options: MendOptions): Promise<number> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    const rows = database.prepare(options.readsAll ? ALL_ROWS : WRONG_ROWS).iterate();
    let isWhole = true;
    // Reads to the end first, because a table that is being read cannot be changed.
    for (const row of rows as unknown as Iterable<Row>) {
      isWhole &&= faultOf(row) === undefined;
    }
    return isWhole ? 0 : rebuild(database, options);
  } finally {
    database.close();
  }
}

/** Returns the statements that created the table and its indexes. */
function schemaOf(database: DatabaseSync): readonly string[] {
  const sql = "SELECT sql FROM sqlite_master WHERE tbl_name = 'kv' AND sql IS NOT NULL " +
    "ORDER BY type DESC";
  return database.prepare(sql).all().map((row) => String(row.sql));
}

/** Rewrites all rows, because no search finds a row whose key has changed. */
function rebuild(database: DatabaseSync, { now, onDamaged }: MendOptions): number {
  let count = 0;
  database.exec("BEGIN IMMEDIATE");
  try {
    const schema = schemaOf(database);
    database.exec("ALTER TABLE kv RENAME TO kv_damaged");
    database.exec("DROP INDEX IF EXISTS kv_expiration_ms_idx");
    for (const sql of schema) database.exec(sql);
    const add = database.prepare(
      "INSERT OR IGNORE INTO kv " +
        "(k, v, v_encoding, version, seq, expiration_ms) VALUES (?, ?, ?, ?, ?, ?)",
    );
    const rows = database.prepare("SELECT * FROM kv_damaged").iterate();
    for (const row of rows as unknown as Iterable<Row>) {
      const { version, seq } = row;
      const fault = faultOf(row);
      if (fault === undefined) {
        const { k, v, v_encoding, expiration_ms } = row;
        add.run(bytesOf(k), bytesOf(v), v_encoding, version, seq, expiration_ms);
        continue;
      }
      const name = encodeKey(asideKey(bytesOf(row.k)));
      add.run(name, bytesOf(asideValue(row.v)), ENCODING.bytes, version, seq, asideUntil(now));
      onDamaged(describeDamage(shownKey(row.k), fault));
      count++;
    }
    database.exec("DROP TABLE kv_damaged");
    database.exec("COMMIT");
    return count;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

/** Returns whether a file is a Deno KV database that has been used before. */
export async function hasRecords(path: string): Promise<boolean> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'kv'";
    return database.prepare(sql).get() !== undefined;
  } finally {
    database.close();
  }
}
