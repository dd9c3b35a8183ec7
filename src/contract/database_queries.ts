/**
 * SQL on databases: queries, and whole branches as text.
 *
 * @module
 */
import { z } from "zod";
import {
  branchQuery,
  DATABASE_PATH as path,
  DATABASE_TAG as tag,
  databaseParams,
  MAIN_BRANCH,
} from "./databases.ts";
import { endpoint } from "./endpoint.ts";
import { branchName } from "./projects.ts";

/** Largest SQL text of one query, in bytes. */
export const MAX_SQL_BYTES = 4 * 1024 * 1024;

export const querySqlBody = z.object({
  sql: z.string().min(1),
  branch: branchName.default(MAIN_BRANCH),
  readOnly: z.boolean().default(false),
}).strict();

/**
 * One line of the answer to a query, which is newline-delimited JSON. Each
 * statement brings `columns` and `rows` where it has a result, then `complete`.
 * After `error` nothing follows. Values are PostgreSQL's text form, or null.
 */
export const queryEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("columns"),
    columns: z.array(z.object({
      name: z.string(),
      type: z.string().describe("Such as `int4`, `text`, `jsonb`; `oid:<n>` where not built in"),
    })),
  }),
  z.object({ type: z.literal("rows"), rows: z.array(z.array(z.string().nullable())) }),
  z.object({ type: z.literal("complete"), command: z.string().describe("Such as `INSERT 0 3`") }),
  z.object({ type: z.literal("notice"), severity: z.string(), message: z.string() }),
  z.object({
    type: z.literal("error"),
    message: z.string(),
    sqlState: z.string(),
    detail: z.string().nullable(),
    hint: z.string().nullable(),
    position: z.int().nullable().describe("Character of the SQL text, from 1"),
  }),
]).meta({ id: "QueryEvent" });
export type QueryEvent = z.infer<typeof queryEvent>;

export const queryDatabase = endpoint({
  method: "POST",
  path: `${path}/query`,
  summary: "Run SQL on a branch; the answer is a stream of events, a line of JSON each",
  tag,
  params: databaseParams,
  body: querySqlBody,
  maxBodyBytes: MAX_SQL_BYTES,
  responseKind: "octets",
  idempotency: "refused",
});

export const getDatabaseSchema = endpoint({
  method: "GET",
  path: `${path}/schema`,
  summary: "Show a branch's definitions as SQL that can be run again",
  tag,
  params: databaseParams,
  query: branchQuery,
  responseKind: "octets",
});

export const exportDatabase = endpoint({
  method: "GET",
  path: `${path}/export`,
  summary: "Download a branch as SQL",
  tag,
  access: "developer",
  params: databaseParams,
  query: branchQuery,
  responseKind: "octets",
});

export const importDatabase = endpoint({
  method: "POST",
  path: `${path}/import`,
  summary: "Run a script of SQL on a branch, as one transaction",
  tag,
  params: databaseParams,
  query: branchQuery,
  bodyKind: "octets",
  maxBodyBytes: 1024 ** 3,
  responseKind: "octets",
});
