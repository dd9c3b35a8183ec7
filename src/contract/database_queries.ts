/** SQL on databases: queries, and whole branches as text. @module */
import * as z from "zod";
import {
  branchQuery,
  DATABASE_PATH as path,
  DATABASE_TAG as tag,
  databaseParams,
  MAIN_BRANCH,
} from "./databases.ts";
import { endpoint } from "./endpoint.ts";
import { branchName } from "./projects.ts";

/** Maximum length of a query's SQL, in UTF-16 code units. Longer SQL must be imported. */
export const MAX_SQL_LENGTH = 1024 * 1024;
/** Maximum size of one query's SQL, in bytes. */
export const MAX_SQL_BYTES = 4 * MAX_SQL_LENGTH;

/** Maximum number of parameters in a statement, as in PostgreSQL's protocol. */
const MAX_SQL_PARAMS = 65_535;

/** Maximum size of a script to import, in bytes. */
export const MAX_IMPORT_BYTES = 1024 ** 3;

const querySqlBody = z.object({
  sql: z.string().min(1).max(MAX_SQL_LENGTH).meta({
    description: "One or more SQL statements",
    example: "SELECT 1 AS answer",
  }),
  params: z.array(z.string().nullable()).max(MAX_SQL_PARAMS).refine(
    (params) => params.reduce((sum, value) => sum + (value?.length ?? 0), 0) <= MAX_SQL_LENGTH,
    `Use at most ${MAX_SQL_LENGTH} characters in all parameters`,
  ).optional().meta({
    description:
      "Values of `$1`, `$2` and so on, in PostgreSQL's text form, at most 1 MiB in total. " +
      "`sql` must then be a single statement",
    example: [],
  }),
  branch: branchName.default(MAIN_BRANCH).meta({ description: "Branch to query", example: "main" }),
  readOnly: z.boolean().default(false).describe("Refuse statements that write"),
}).strict();

/**
 * A line in the response to a query. A statement produces `columns` and `rows` if it has a result,
 * then `complete`. An `error` is always the last line. Values are text or null.
 */
export const queryEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("columns"),
    columns: z.array(z.object({
      name: z.string(),
      type: z.string().describe(
        "Type, such as `int4`, `text` or `jsonb`; `oid:<n>` for types that are not built in",
      ),
    })),
  }),
  z.object({ type: z.literal("rows"), rows: z.array(z.array(z.string().nullable())) }),
  z.object({
    type: z.literal("complete"),
    command: z.string().describe("Command tag, such as `INSERT 0 3`"),
  }),
  z.object({ type: z.literal("notice"), severity: z.string(), message: z.string() }),
  z.object({
    type: z.literal("error"),
    message: z.string(),
    sqlState: z.string(),
    detail: z.string().nullable(),
    hint: z.string().nullable(),
    position: z.int().nullable().describe("Position in the SQL text, in characters, starting at 1"),
  }),
]).meta({ id: "QueryEvent" });
export type QueryEvent = z.infer<typeof queryEvent>;

export const queryDatabase = endpoint({
  method: "POST",
  path: `${path}/query`,
  summary: "Run SQL on a branch. The response is a stream of events, one JSON object per line",
  tag,
  params: databaseParams,
  body: querySqlBody,
  maxBodyBytes: 2 * MAX_SQL_BYTES,
  responseKind: "octets",
  response: z.unknown(),
  idempotency: "refused",
});

export const getDatabaseSchema = endpoint({
  method: "GET",
  path: `${path}/schema`,
  summary: "Export the schema of a branch as SQL",
  tag,
  params: databaseParams,
  query: branchQuery,
  responseKind: "octets",
  response: z.unknown(),
});

export const exportDatabase = endpoint({
  method: "GET",
  path: `${path}/export`,
  summary: "Export a branch as SQL",
  tag,
  access: "developer",
  params: databaseParams,
  query: branchQuery,
  responseKind: "octets",
  response: z.unknown(),
});

export const importDatabase = endpoint({
  method: "POST",
  path: `${path}/import`,
  summary:
    "Run an SQL script on a branch in one transaction. The response is the same as for a query",
  tag,
  params: databaseParams,
  query: branchQuery,
  body: z.unknown().meta({ example: "CREATE TABLE boats (id int);" }),
  bodyKind: "octets",
  maxBodyBytes: MAX_IMPORT_BYTES,
  responseKind: "octets",
  response: z.unknown(),
});
