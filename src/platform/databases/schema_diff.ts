/** Reads a branch's schema and compares two schemas. @module */
import type { SchemaChange, SchemaKind } from "../../contract/database_branches.ts";
import {
  type BackendSession,
  EngineError,
  runStatement,
  type StatementResult,
} from "../../database/mod.ts";

const MAX_CHARACTERS = 32 * 1024 * 1024;

/** Excludes PostgreSQL's own schemas, including those for temporary objects. */
const OWN = `n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'`;
const notOfExtension = (catalog: string, id: string): string =>
  `NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = '${catalog}'::regclass
     AND d.objid = ${id} AND d.deptype = 'e')`;

const QUERY = `
SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' WHEN 'S' THEN 'sequence'
    ELSE 'table' END,
  format('%I.%I', n.nspname, c.relname),
  CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) WHEN 'm' THEN pg_get_viewdef(c.oid)
    ELSE concat_ws(' ', pg_get_expr(c.relpartbound, c.oid),
      CASE c.relkind WHEN 'p' THEN 'PARTITION BY ' || pg_get_partkeydef(c.oid) END) END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S') AND ${OWN} AND ${notOfExtension("pg_class", "c.oid")}
UNION ALL
SELECT 'column', format('%I.%I.%I', n.nspname, c.relname, a.attname),
  concat_ws(' ', format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attnotnull THEN 'NOT NULL' END,
    CASE WHEN a.attidentity <> '' THEN 'GENERATED AS IDENTITY' END,
    CASE WHEN x.oid IS NOT NULL THEN
      CASE WHEN a.attgenerated = '' THEN 'DEFAULT ' ELSE 'GENERATED ALWAYS AS ' END
        || pg_get_expr(x.adbin, x.adrelid) END)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_attrdef x ON x.adrelid = c.oid AND x.adnum = a.attnum
WHERE c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND ${OWN}
  AND ${notOfExtension("pg_class", "c.oid")}
UNION ALL
SELECT 'index', format('%I.%I', n.nspname, i.relname), pg_get_indexdef(x.indexrelid)
FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
  JOIN pg_namespace n ON n.oid = i.relnamespace
WHERE ${OWN} AND c.relkind IN ('r', 'p', 'm') AND ${notOfExtension("pg_class", "c.oid")}
  AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.oid AND k.contype IN ('p', 'u', 'x'))
UNION ALL
SELECT 'constraint', format('%I.%I.%I', n.nspname, c.relname, k.conname), pg_get_constraintdef(k.oid)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE ${OWN} AND k.contype <> 'n' AND ${notOfExtension("pg_class", "c.oid")}
UNION ALL
SELECT 'trigger', format('%I.%I.%I', n.nspname, c.relname, t.tgname), pg_get_triggerdef(t.oid)
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT t.tgisinternal AND ${OWN} AND ${notOfExtension("pg_class", "c.oid")}
UNION ALL
SELECT 'function', format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)),
  CASE WHEN p.prokind = 'a' THEN 'aggregate' ELSE pg_get_functiondef(p.oid) END
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE ${OWN} AND ${notOfExtension("pg_proc", "p.oid")}
UNION ALL
SELECT 'type', format('%I.%I', n.nspname, t.typname),
  'ENUM (' || (SELECT string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder)
    FROM pg_enum e WHERE e.enumtypid = t.oid) || ')'
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE t.typtype = 'e' AND ${OWN} AND ${notOfExtension("pg_type", "t.oid")}`;

export type Schema = ReadonlyMap<string, SchemaObject>;

interface SchemaObject {
  readonly kind: SchemaKind;
  readonly name: string;
  readonly definition: string;
}

const keyOf = ({ kind, name }: Pick<SchemaObject, "kind" | "name">): string => `${kind} ${name}`;

function schemaOf({ rows }: Pick<StatementResult, "rows">): Schema {
  const objects = rows.map(([kind, name, definition]): SchemaObject => ({
    kind: kind as SchemaKind,
    name: name ?? "",
    definition: (definition ?? "").trim(),
  }));
  return new Map(objects.map((object) => [keyOf(object), object]));
}

/** @throws {EngineError} */
export async function readSchema(session: BackendSession, signal: AbortSignal): Promise<Schema> {
  const result = await runStatement(session, QUERY, {
    params: [],
    maxCharacters: MAX_CHARACTERS,
    signal,
  });
  if ("type" in result) throw new EngineError(result.message, result.sqlState);
  return schemaOf(result);
}

const ORDER: readonly SchemaKind[] = [
  "type",
  "sequence",
  "table",
  "column",
  "constraint",
  "index",
  "view",
  "function",
  "trigger",
];

/**
 * Returns the table to which a column, constraint or trigger belongs. Quoted names can contain dots
 * and quotes.
 */
const tableOf = ({ name }: Pick<SchemaObject, "name">): string =>
  name.replace(/\.(?:"(?:[^"]|"")*"|[^."]*)$/, "");

/**
 * Lists the differences from `before`. Leaves out the columns and constraints of new and missing
 * tables.
 */
export function diffSchemas(before: Schema, after: Schema): SchemaChange[] {
  const changes: SchemaChange[] = [];
  const isWhole = (object: SchemaObject, other: Schema): boolean =>
    ["column", "constraint", "trigger"].includes(object.kind) &&
    !other.has(keyOf({ kind: "table", name: tableOf(object) })) &&
    !other.has(keyOf({ kind: "view", name: tableOf(object) }));
  for (const [key, object] of after) {
    const { kind, name, definition } = object;
    const old = before.get(key);
    if (old === undefined) {
      if (!isWhole(object, before)) {
        changes.push({ change: "added", kind, name, from: null, to: definition });
      }
    } else if (old.definition !== definition) {
      changes.push({ change: "changed", kind, name, from: old.definition, to: definition });
    }
  }
  for (const [key, object] of before) {
    if (after.has(key) || isWhole(object, after)) continue;
    const { kind, name, definition } = object;
    changes.push({ change: "removed", kind, name, from: definition, to: null });
  }
  return changes.sort((one, other) =>
    ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind) || (one.name < other.name ? -1 : 1)
  );
}
