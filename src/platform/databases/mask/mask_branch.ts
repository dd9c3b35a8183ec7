/**
 * Masks a branch's data in one transaction: the tables, and the data that PostgreSQL derives from
 * them (statistics and materialized views). User triggers are disabled during that time, because
 * they may copy old values elsewhere. Foreign keys are checked again afterwards.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { EngineError, type RunOne, withStatements } from "../../../database/mod.ts";
import type { DatabaseMask } from "../../../lib/database_previews.ts";
import type { OpenStorage } from "../branch_access.ts";
import { type MaskedColumn, maskedValue, quoted } from "./mask_values.ts";

/** Maximum length of the catalog query's result, in characters. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Maximum time for masking a branch, in milliseconds. */
const MASK_MS = 30 * 60_000;
const MAX_NAMED = 5;
/** Block size of SHA-256, in bytes. */
const BLOCK = 64;
/** SQL state for `invalid_parameter_value`. */
const INVALID = "22023";

type Row = readonly (string | null)[];

const COLUMNS = `
SELECT c.oid, n.nspname, c.relname, a.attnum, a.attname, b.typname,
  CASE WHEN b.typname IN ('varchar', 'bpchar')
    THEN nullif(greatest(a.atttypmod, t.typtypmod), -1) - 4 END,
  a.attnotnull OR t.typnotnull,
  a.attgenerated <> '' OR a.attidentity = 'a',
  EXISTS (SELECT FROM pg_rewrite r WHERE r.ev_class = c.oid AND r.ev_type = '2')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid
  JOIN pg_type t ON t.oid = a.atttypid
  JOIN pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND a.attnum > 0 AND NOT a.attisdropped`;

/** Foreign keys from or to masked columns. A column is written as `oid.number`. */
const FOREIGN_KEYS = `
SELECT format('%I.%I', n.nspname, c.relname), quote_ident(k.conname), pg_get_constraintdef(k.oid)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE k.contype = 'f' AND k.conparentid = 0 AND (
  EXISTS (SELECT FROM unnest(k.conkey) u WHERE k.conrelid || '.' || u = ANY($1::text[])) OR
  EXISTS (SELECT FROM unnest(k.confkey) u WHERE k.confrelid || '.' || u = ANY($1::text[])))
ORDER BY k.oid`;

/** User triggers on masked tables and on tables that inherit from them. */
const TRIGGERS = `
WITH RECURSIVE tables(id) AS (
  SELECT unnest($1::oid[]) UNION
  SELECT i.inhrelid FROM pg_inherits i JOIN tables ON tables.id = i.inhparent)
SELECT format('%I.%I', n.nspname, c.relname), quote_ident(g.tgname), CASE g.tgenabled
    WHEN 'R' THEN 'ENABLE REPLICA' WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE' END
FROM tables JOIN pg_class c ON c.oid = tables.id JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_trigger g ON g.tgrelid = c.oid
WHERE NOT g.tgisinternal AND g.tgenabled <> 'D' ORDER BY g.oid`;

const VIEWS = `
SELECT format('%I.%I', n.nspname, c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'm' AND c.relispopulated AND n.nspname !~ '^pg_' ORDER BY c.oid`;

interface MaskedTable {
  readonly id: string;
  /** The quoted name, with the schema. */
  readonly name: string;
  /** Numbers of the masked columns. */
  readonly columns: readonly string[];
  readonly sql: string;
  readonly usesKey: boolean;
}

const columnOf = ([, , , , name, type, maximum, notNull, generated]: Row): MaskedColumn => ({
  name: name!,
  type: type!,
  maximum: maximum === null || maximum === undefined ? null : Number(maximum),
  notNull: notNull === "t",
  generated: generated === "t",
});

/**
 * Finds the tables and columns to mask, and determines how each table changes. Each problem
 * includes the key of its mask.
 */
function planMasks(
  mask: DatabaseMask,
  rows: readonly Row[],
): { readonly tables: readonly MaskedTable[]; readonly problems: readonly string[] } {
  const known = Map.groupBy(
    rows,
    ([, schema, table]) => schema === "public" ? table! : `${schema}.${table}`,
  );
  const tables: MaskedTable[] = [];
  const problems: string[] = [];
  for (const [table, rules] of Object.entries(mask)) {
    const found = known.get(table) ?? known.get(table.replace(/^public\./, ""));
    const [first] = found ?? [];
    if (found === undefined || first === undefined) {
      problems.push(`db.mask.${table}: The table does not exist`);
      continue;
    }
    const values: { readonly number: string; readonly sql: string; readonly usesKey: boolean }[] =
      [];
    for (const [name, rule] of Object.entries(rules)) {
      const row = found.find(([, , , , column]) => column === name);
      const value = row === undefined
        ? { problem: "The column does not exist" }
        : maskedValue(columnOf(row), rule);
      if (value === undefined) continue;
      if ("problem" in value) problems.push(`db.mask.${table}.${name}: ${value.problem}`);
      else values.push({ ...value, number: row![3]!, sql: `${quoted(name)} = ${value.sql}` });
    }
    if (values.length === 0) continue;
    if (first[9] === "t") {
      problems.push(`db.mask.${table}: The table has an ON UPDATE rule, which may keep old values`);
    }
    const name = `${quoted(first[1]!)}.${quoted(first[2]!)}`;
    tables.push({
      id: first[0]!,
      name,
      columns: values.map(({ number }) => number),
      sql: `UPDATE ${name} SET ${values.map(({ sql }) => sql).join(", ")}`,
      usesKey: values.some(({ usesKey }) => usesKey),
    });
  }
  return { tables, problems };
}

/** Returns the two padded HMAC keys, in PostgreSQL's notation for bytes. */
function paddedKeys(key: Uint8Array): [string, string] {
  const padded = Buffer.alloc(BLOCK);
  padded.set(key);
  const by = (value: number) =>
    `\\x${Buffer.from(padded.map((byte) => byte ^ value)).toString("hex")}`;
  return [by(0x36), by(0x5c)];
}

const arrayOf = (items: readonly string[]): string => `{${items.join(",")}}`;

/** Masks a branch before anyone can use it. @throws {EngineError} if a mask does not fit */
export async function maskBranch(
  { engine, branch }: OpenStorage,
  mask: DatabaseMask,
  key: Uint8Array,
): Promise<void> {
  if (Object.keys(mask).length === 0) return;
  const session = await engine.connect(branch, new Map([["application_name", "svc mask"]]));
  const limits = { maxCharacters: MAX_CHARACTERS, signal: AbortSignal.timeout(MASK_MS) };
  await withStatements(session, limits, async (runOne) => {
    await runMasks(askerOf(runOne), mask, key);
  });
}

type Ask = (sql: string, params?: readonly string[], what?: string) => Promise<readonly Row[]>;

const askerOf = (run: RunOne): Ask => async (sql, params = [], what = "the masks") => {
  const result = await run(sql, params);
  if (!("type" in result)) return result.rows;
  throw new EngineError(`Cannot apply ${what}: ${result.message}`, result.sqlState);
};

async function runMasks(ask: Ask, mask: DatabaseMask, key: Uint8Array): Promise<void> {
  await ask("BEGIN");
  await ask("SET LOCAL statement_timeout = 0");
  // If a row security policy applies, statements must fail instead of skipping rows.
  await ask("SET LOCAL row_security = off");
  const { tables, problems } = planMasks(mask, await ask(COLUMNS));
  if (problems.length > 0) {
    const more = problems.length - MAX_NAMED;
    throw new EngineError(
      problems.slice(0, MAX_NAMED).join("; ") + (more > 0 ? `; and ${more} more` : ""),
      INVALID,
    );
  }
  const ids = arrayOf(tables.map(({ id }) => id));
  const numbers = tables.flatMap(({ id, columns }) => columns.map((each) => `${id}.${each}`));
  const keys = await ask(FOREIGN_KEYS, [arrayOf(numbers)]);
  const triggers = await ask(TRIGGERS, [ids]);
  for (const [table, name] of triggers) {
    await ask(`ALTER TABLE ONLY ${table} DISABLE TRIGGER ${name}`);
  }
  for (const [table, name] of keys) await ask(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  await ask("SET CONSTRAINTS ALL IMMEDIATE");
  const padded = paddedKeys(key);
  for (const { name, sql, usesKey } of tables) {
    await ask(sql, usesKey ? padded : [], `the masks of ${name}`);
  }
  for (const [table, name, definition] of keys) {
    const what = `the masks to the foreign key ${name} of ${table}`;
    await ask(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`, [], what);
  }
  for (const [table, name, enable] of triggers) {
    await ask(`ALTER TABLE ONLY ${table} ${enable} TRIGGER ${name}`);
  }
  const views = (await ask(VIEWS)).map(([name]) => name!);
  for (const view of views) await ask(`REFRESH MATERIALIZED VIEW ${view}`);
  // Statistics contain values from columns, so they must be recomputed.
  for (const name of [...tables.map((table) => table.name), ...views]) await ask(`ANALYZE ${name}`);
  await ask("COMMIT");
}
