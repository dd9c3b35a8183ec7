/** @module Commands for the prompt, modeled on psql's most common commands. */

type PromptCommand =
  | { readonly type: "quit" | "help" | "expanded" }
  | { readonly type: "query"; readonly sql: string }
  | { readonly type: "unknown"; readonly name: string };

export const PROMPT_HELP = `Statements end with ; and can span several lines.
  \\d           list tables, views and sequences
  \\d <name>    describe one: columns, indexes and constraints
  \\dt          list tables
  \\x           switch between table and one row at a time
  \\q           quit (same as Ctrl-D)
Ctrl-C cancels the running statement or clears the input.
A transaction is sent when you enter COMMIT or ROLLBACK.`;

/** Converts any string to an SQL literal. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function listRelations(kinds: string): string {
  return `SELECT n.nspname AS "schema", c.relname AS "name",
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'v' THEN 'view'
    WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table'
  END AS "type", pg_catalog.pg_get_userbyid(c.relowner) AS "owner"
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN (${kinds}) AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND n.nspname !~ '^pg_toast'
ORDER BY 1, 2;`;
}

function describeRelation(name: string): string {
  const relation = `${literal(name)}::pg_catalog.regclass`;
  return `SELECT a.attname AS "column", pg_catalog.format_type(a.atttypid, a.atttypmod) AS "type",
  CASE WHEN a.attnotnull THEN 'not null' ELSE '' END AS "nullable",
  coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), '') AS "default"
FROM pg_catalog.pg_attribute a
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = ${relation} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;
SELECT pg_catalog.pg_get_indexdef(indexrelid) AS "index"
FROM pg_catalog.pg_index WHERE indrelid = ${relation} ORDER BY 1;
SELECT conname AS "constraint", pg_catalog.pg_get_constraintdef(oid) AS "definition"
FROM pg_catalog.pg_constraint WHERE conrelid = ${relation} ORDER BY 1;`;
}

/** Parses a typed command, such as `\d boats`. */
export function readPromptCommand(text: string): PromptCommand {
  const [, name = "", argument = ""] = /^\\(\S*)\s*(.*?)[\s;]*$/s.exec(text) ?? [];
  switch (name.replace(/[;+]+$/, "")) {
    case "q":
    case "quit":
      return { type: "quit" };
    case "?":
    case "h":
      return { type: "help" };
    case "x":
      return { type: "expanded" };
    case "dt":
      return { type: "query", sql: listRelations("'r', 'p'") };
    case "d":
      return {
        type: "query",
        sql: argument === ""
          ? listRelations("'r', 'p', 'v', 'm', 'S', 'f'")
          : describeRelation(argument),
      };
    default:
      return { type: "unknown", name: `\\${name}` };
  }
}
