/** @module Tools for agents that work with variables and databases. */
import * as z from "zod";
import { collectPages } from "../../client/collect_pages.ts";
import { fetchOctets, queryEvents } from "../../client/query_events.ts";
import type { Database } from "../../contract/databases.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import type { QueryEvent } from "../../contract/database_queries.ts";
import {
  anyObject,
  defineTool,
  type OpenedProject,
  projectInput,
  type Surroundings,
  ToolFailure,
} from "../tool.ts";

/** Maximum number of variables and of databases to list. */
const MAX_LISTED = 1000;
/** Maximum number of rows per statement in a result. */
const MAX_ROWS = 100;
/** Maximum number of results per query. */
const MAX_RESULTS = 20;
/** Maximum total length of the values that a query returns, in characters. */
const MAX_VALUES = 200_000;
/** Maximum number of bytes to read from a schema. */
const MAX_SCHEMA_BYTES = 256 * 1024;

const databaseInput = {
  ...projectInput,
  database: z.string().max(100).optional().describe(
    "Name (default: the project's default database)",
  ),
  branch: z.string().max(100).optional().describe("Branch (default: main)"),
};

export const listVariables = defineTool({
  name: "list_variables",
  title: "List variables",
  description: "Names and scopes of the project's variables; values of secrets are never shown.",
  input: { ...projectInput, environment: z.string().max(100).optional() },
  output: { variables: z.array(anyObject) },
  effect: "read",
  async run({ project: given, environment }, around) {
    const { api, project } = await around.open(given);
    const seenBy = environment === undefined ? {} : { environment };
    const { items } = await collectPages(
      (page) =>
        api.call(endpoints.listVariables, {
          params: { project: project.id },
          query: { ...page, ...seenBy },
        }),
      { limit: MAX_LISTED, pageSize: PAGE_LIMIT_MAX },
    );
    // Plain values are left out: they can be long, and agents do not need them.
    const variables = items.map(({ value: _value, ...facts }) => facts);
    return {
      text: variables.map(({ key, category }) => `${key} (${category})`).join("\n") ||
        "No variables",
      data: { variables },
    };
  },
});

async function findDatabase(
  { api, project }: OpenedProject,
  given: string | undefined,
  around: Surroundings,
): Promise<Pick<Database, "id">> {
  const wanted = given ?? await around.usualDatabase();
  const { items } = await collectPages(
    (page) =>
      api.call(endpoints.listDatabases, { params: { project: project.id }, query: { ...page } }),
    { limit: MAX_LISTED, pageSize: PAGE_LIMIT_MAX },
  );
  const found = wanted === undefined
    ? items.find(({ autoInject }) => autoInject) ?? items[0]
    : items.find(({ id, name }) => id === wanted || name === wanted);
  if (found !== undefined) return found;
  const names = items.map(({ name }) => name).join(", ");
  throw new ToolFailure({
    error: items.length === 0
      ? `Project ${project.name} has no database`
      : `Project ${project.name} has no database "${wanted}". Available: ${names}`,
    code: "not_found",
    hint: "Ask the user to create one with `svc db create`",
  });
}

interface Result {
  readonly columns: readonly string[];
  readonly rows: (readonly (string | null)[])[];
  command: string;
  isCut: boolean;
}

function sqlFailure(error: Extract<QueryEvent, { readonly type: "error" }>): ToolFailure {
  const { message, sqlState, detail, hint, position } = error;
  const place = position === null ? "" : ` at character ${position}`;
  return new ToolFailure({
    error: `${message} (SQLSTATE ${sqlState})${place}${detail === null ? "" : `: ${detail}`}`,
    code: "query_failed",
    ...hint === null ? {} : { hint },
  });
}

/** Collects results within limits. Further rows are dropped as they arrive. */
async function collectResults(events: AsyncIterable<QueryEvent>): Promise<Result[]> {
  const results: Result[] = [];
  let kept = 0;
  let open: Result | undefined;
  const begin = (columns: readonly string[]): Result => {
    open = { columns, rows: [], command: "", isCut: false };
    if (results.length < MAX_RESULTS) results.push(open);
    return open;
  };
  for await (const event of events) {
    if (event.type === "error") throw sqlFailure(event);
    if (event.type === "columns") begin(event.columns.map(({ name }) => name));
    if (event.type === "rows") {
      for (const row of event.rows) {
        kept += row.reduce((sum, value) => sum + (value?.length ?? 0), 0);
        if (open === undefined || open.rows.length === MAX_ROWS || kept > MAX_VALUES) {
          if (open !== undefined) open.isCut = true;
          break;
        }
        open.rows.push(row);
      }
    }
    if (event.type === "complete") {
      (open ?? begin([])).command = event.command;
      open = undefined;
    }
  }
  return results;
}

export const queryDatabase = defineTool({
  name: "query_database",
  title: "Query a database (read-only)",
  description: "Runs SQL without changing anything. Shows at most 100 rows per statement.",
  input: { ...databaseInput, sql: z.string().min(1).max(100_000) },
  output: { results: z.array(anyObject) },
  effect: "read",
  needs: endpoints.queryDatabase,
  async run({ project: given, database, branch, sql }, around) {
    const opened = await around.open(given);
    const { id } = await findDatabase(opened, database, around);
    const results = await collectResults(queryEvents(opened.api, {
      params: { project: opened.project.id, database: id },
      body: { sql, readOnly: true, branch },
    }));
    return { text: JSON.stringify(results), data: { results } };
  },
});

async function readBounded(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_SCHEMA_BYTES) return `${text.slice(0, MAX_SCHEMA_BYTES)}\n-- truncated`;
  }
  return text;
}

export const describeDatabase = defineTool({
  name: "describe_database",
  title: "Describe a database",
  description: "The definitions of a database's tables, as SQL.",
  input: databaseInput,
  output: { schema: z.string() },
  effect: "read",
  async run({ project: given, database, branch }, around) {
    const opened = await around.open(given);
    const { id } = await findDatabase(opened, database, around);
    const schema = await readBounded(
      await fetchOctets(opened.api, endpoints.getDatabaseSchema, {
        params: { project: opened.project.id, database: id },
        query: branch === undefined ? {} : { branch },
      }),
    );
    return {
      text: schema,
      data: { schema },
      next: [{ tool: "query_database", arguments: { sql: "select 1" }, why: "to read rows" }],
    };
  },
});
