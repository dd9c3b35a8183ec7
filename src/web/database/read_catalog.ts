/** @module Reads a branch's tables, and the columns, keys and indexes of one table. */
import * as z from "zod";
import type { Statement } from "./run_statement.ts";

/** Maximum number of tables that are listed. */
export const MAX_TABLES = 300;

const KINDS = {
  r: "table",
  p: "partitioned table",
  v: "view",
  m: "materialized view",
  f: "foreign table",
} as const;

const tableEntry = z.object({
  schema: z.string(),
  name: z.string(),
  kind: z.enum(["r", "p", "v", "m", "f"]).transform((kind) => KINDS[kind]),
  /** PostgreSQL's estimate of the number of rows; negative if there is none yet. */
  rows: z.number(),
  /** Size including indexes, in bytes; 0 for objects without storage. */
  bytes: z.number(),
});
export type TableEntry = z.infer<typeof tableEntry>;

const column = z.object({
  name: z.string(),
  type: z.string(),
  isRequired: z.boolean(),
  /** The expression for the default value or for a generated column. */
  default: z.string().nullable(),
  /** Whether only PostgreSQL can set the value. */
  isGenerated: z.boolean(),
  isIdentity: z.boolean(),
  isSortable: z.boolean(),
  /** The column that this column references. */
  refers: z.object({ schema: z.string(), table: z.string(), column: z.string() }).nullable(),
});
export type Column = z.infer<typeof column>;

const catalog = z.object({
  tables: z.array(tableEntry),
  wanted: tableEntry.omit({ bytes: true }).nullable(),
  columns: z.array(column),
  key: z.array(z.string()),
  indexes: z.array(z.object({ name: z.string(), definition: z.string() })),
});

export interface TableDetails extends Omit<TableEntry, "bytes"> {
  readonly columns: readonly Column[];
  /** Columns of the primary key, in key order; empty if there is no primary key. */
  readonly key: readonly string[];
  readonly indexes: readonly { readonly name: string; readonly definition: string }[];
}

export interface Catalog {
  readonly tables: readonly TableEntry[];
  /** The requested table; `undefined` if it does not exist. */
  readonly table: TableDetails | undefined;
}

const CATALOG = `
WITH listed AS (
  SELECT c.oid, n.nspname AS schema, c.relname AS name, c.relkind AS kind, c.reltuples AS rows
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
  ORDER BY n.nspname <> 'public', n.nspname, c.relname LIMIT ${MAX_TABLES + 1}
), wanted AS (
  SELECT * FROM listed WHERE $2::text = '' OR schema = $1::text AND name = $2::text
  ORDER BY schema <> 'public', schema, name LIMIT 1
)
SELECT json_build_object(
  'tables', (SELECT coalesce(json_agg(json_build_object('schema', schema, 'name', name, 'kind', kind,
    'rows', rows, 'bytes', CASE WHEN kind IN ('r', 'm') THEN pg_total_relation_size(oid) ELSE 0 END)
    ORDER BY schema <> 'public', schema, name), '[]') FROM listed),
  'wanted', (SELECT json_build_object('schema', schema, 'name', name, 'kind', kind, 'rows', rows)
    FROM wanted),
  'columns', (SELECT coalesce(json_agg(t), '[]') FROM (
    SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
      a.attnotnull AS "isRequired", pg_get_expr(d.adbin, d.adrelid) AS "default",
      a.attgenerated <> '' OR a.attidentity = 'a' AS "isGenerated",
      a.attidentity <> '' AS "isIdentity",
      y.typcategory <> 'G' AND y.typname NOT IN ('json', 'xml') AS "isSortable",
      (SELECT json_build_object('schema', fn.nspname, 'table', fc.relname, 'column', fa.attname)
        FROM pg_catalog.pg_constraint k
        JOIN pg_catalog.pg_class fc ON fc.oid = k.confrelid
        JOIN pg_catalog.pg_namespace fn ON fn.oid = fc.relnamespace
        JOIN pg_catalog.pg_attribute fa ON fa.attrelid = k.confrelid AND fa.attnum = k.confkey[1]
        WHERE k.conrelid = a.attrelid AND k.contype = 'f' AND k.conkey = ARRAY[a.attnum]
        LIMIT 1) AS refers
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = (SELECT oid FROM wanted) AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum) t),
  'key', (SELECT coalesce(json_agg(a.attname ORDER BY p.n), '[]')
    FROM pg_catalog.pg_constraint k
    CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS p(attnum, n)
    JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = p.attnum
    WHERE k.conrelid = (SELECT oid FROM wanted) AND k.contype = 'p'),
  'indexes', (SELECT coalesce(json_agg(t), '[]') FROM (
    SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
    FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = (SELECT oid FROM wanted) ORDER BY NOT i.indisprimary, c.relname LIMIT 50) t)
)`;

/** The name of the table to describe. An empty name selects the first table. */
export interface TableName {
  readonly schema: string;
  readonly table: string;
}

/** Returns the statement that reads the tables, and all details of one of them. */
export const selectCatalog = ({ schema, table }: TableName): Statement => ({
  sql: CATALOG,
  params: [schema, table],
});

/** Parses the single value that {@link selectCatalog} returns. */
export function parseCatalog(text: string): Catalog {
  const { tables, wanted, ...details } = catalog.parse(JSON.parse(text));
  return { tables, table: wanted === null ? undefined : { ...wanted, ...details } };
}
