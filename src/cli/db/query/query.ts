/** @module Runs SQL and prints the results as tables, JSON or CSV. */
import { changeOf } from "../../../client/client.ts";
import { queryEvents } from "../../../client/query_events.ts";
import {
  MAX_SQL_BYTES,
  MAX_SQL_LENGTH,
  queryDatabase,
} from "../../../contract/database_queries.ts";
import { MAIN_BRANCH } from "../../../contract/databases.ts";
import { defineCommand } from "../../command/command.ts";
import { actionRequired, CliError } from "../../errors/cli_error.ts";
import { describeError, toJsonError } from "../../errors/report_error.ts";
import { interrupted } from "../../errors/interrupted.ts";
import type { Context } from "../../session/context.ts";
import { DATABASE_OPTION, openDatabase } from "../open_database.ts";
import type { Output } from "./output.ts";
import { passEvents } from "./run_sql.ts";
import { createTableOutput } from "./table_output.ts";
import { printable } from "../../terminal/format.ts";
import type { Ui } from "../../terminal/ui.ts";
import { csvRecord } from "./csv.ts";
import { memberNames, rowWriter } from "./json_rows.ts";
import { type Column, type Row, rowCountOf } from "./result_set.ts";
import { readNamedFile, readPiped } from "../../command/read_value.ts";
import { isBlankSql } from "../../../lib/sql_statements.ts";
import type { SqlSource } from "./sql_error.ts";
import { PROJECT_OPTION } from "../../projects/resolve_project.ts";

const STDIN = "-";

/** Reads the SQL. Returns `undefined` if none is given and nothing is piped in. */
async function readSql(
  ctx: Context,
  { argument, file, database, branch }: {
    readonly argument?: string | undefined;
    readonly file?: string | undefined;
    /** The database that the user named, for the suggested command. */
    readonly database?: string | undefined;
    readonly branch: string;
  },
): Promise<SqlSource & { readonly sql: string } | undefined> {
  if (argument !== undefined && file !== undefined) {
    throw new CliError("usage", "Pass the SQL either as an argument or with --file");
  }
  let source: SqlSource & { readonly sql: string };
  if (argument !== undefined) source = { sql: argument };
  else if (file !== undefined && file !== STDIN) {
    source = { sql: await readNamedFile(ctx, file, MAX_SQL_BYTES), file };
  } else if (file === undefined && ctx.stdinIsTerminal) return undefined;
  else source = { sql: await readPiped(ctx, MAX_SQL_BYTES) };
  if (isBlankSql(source.sql)) throw new CliError("usage", "The SQL contains no statement");
  if (source.sql.length > MAX_SQL_LENGTH) {
    throw new CliError("usage", `The SQL has more than ${MAX_SQL_LENGTH} characters`, {
      next: [
        ctx.lines.ofProject(
          "db",
          "import",
          ...database === undefined ? [] : [database],
          "--branch",
          branch,
          ...file === undefined ? [] : ["--file", file],
        ),
      ],
    });
  }
  return source;
}

/**
 * Describes the columns by their member names in the JSON object. Renamed columns also have their
 * original `name`.
 */
function describeColumns(ui: Ui, columns: readonly Column[]): string {
  const keys = memberNames(columns);
  const renamed = columns.flatMap(({ name }, at) => keys[at] === name ? [] : [keys[at]]);
  if (renamed.length > 0) {
    ui.log(
      "db",
      "warn",
      `Some columns share a name. Rename them with AS. In JSON they are ${renamed.join(", ")}`,
    );
  }
  return JSON.stringify(columns.map(({ name, type }, at) => ({ key: keys[at], name, type })));
}

/** Writes the members of `head`, then `results`. */
export function createJsonOutput(ui: Ui, head: Readonly<Record<string, unknown>>): Output {
  let write: ((row: Row) => string) | undefined;
  let results = 0;
  let rowsOfResult = 0;
  const begin = () => {
    ui.data(
      results++ === 0 ? `${JSON.stringify(head).slice(0, -1)},"results":[{` : ",{",
    );
  };
  return {
    columns(columns) {
      begin();
      rowsOfResult = 0;
      write = rowWriter(columns);
      ui.data(`"columns":${describeColumns(ui, columns)},"rows":[`);
    },
    rows(rows) {
      if (rows.length === 0 || write === undefined) return;
      ui.data((rowsOfResult === 0 ? "" : ",") + rows.map(write).join(","));
      rowsOfResult += rows.length;
    },
    complete(command) {
      if (write === undefined) begin();
      else ui.data("],");
      write = undefined;
      const tag = JSON.stringify({ command, rowCount: rowCountOf(command) });
      ui.data(`${tag.slice(1, -1)}}`);
    },
    end() {
      if (results === 0) ui.result({ ...head, results: [] }, "");
      else ui.data("]}\n");
    },
    fail(report) {
      if (results === 0) return false;
      ui.data(`${write === undefined ? "" : "]}"}],${JSON.stringify(report).slice(1)}\n`);
      return true;
    },
  };
}

/**
 * Creates an output for CSV. An empty line separates results. Statements without a result print
 * nothing.
 */
export function createCsvOutput(ui: Ui): Output {
  let results = 0;
  let hasResult = false;
  // Files receive the text unchanged. On a terminal, control characters are escaped.
  const write = (text: string) => ui.data(ui.showsOnTerminal ? printable(text) : text);
  return {
    columns(columns) {
      if (results++ > 0) write("\r\n");
      hasResult = true;
      write(csvRecord(columns.map(({ name }) => name)));
    },
    rows: (rows) => write(rows.map(csvRecord).join("")),
    complete(command) {
      if (!hasResult) ui.note(printable(command));
      hasResult = false;
    },
    end: () => {},
    fail: () => false,
  };
}

function chooseOutput(
  ctx: Context,
  facts: { readonly database: string; readonly branch: string; readonly csv: boolean },
): Output {
  const { database, branch } = facts;
  if (facts.csv) return createCsvOutput(ctx.ui);
  if (ctx.ui.json) return createJsonOutput(ctx.ui, { database, branch });
  return createTableOutput(ctx.ui, { whole: "use --csv or --json to see all rows" });
}

export default defineCommand({
  description:
    "Runs all statements in one session, and in one transaction unless they start their own. " +
    "In a terminal, opens a prompt if you pass no SQL. In JSON, `results` has one entry per " +
    "statement, with `columns`, `rows`, `command` and `rowCount`. int2, int4, oid, float4 " +
    "and float8 are numbers, bool and JSON keep their type, and everything else (int8, " +
    "numeric, dates) is text.",
  define: (command) =>
    command
      .argument("[sql]", "one or more statements (default: stdin)")
      .option("--file <path>", "file with the statements; - for stdin")
      .option(...DATABASE_OPTION)
      .option("--branch <name>", "branch of the database", MAIN_BRANCH)
      .option("--read-only", "refuse statements that write")
      .option("--csv", "print results as CSV")
      .option(...PROJECT_OPTION),
  examples: [
    ["db query 'select * from boats'", "show the rows as a table"],
    ["db query --file schema.sql --branch staging", "run a file on a branch"],
    ["db query 'select * from boats' --csv > boats.csv", "save the rows as CSV"],
    ["db query 'select * from boats' --json", "print the rows as JSON"],
    ["db query --read-only", "open a read-only prompt"],
  ],
  async run({ args: [argument], flags }, ctx) {
    const csv = flags.csv === true;
    if (csv && ctx.ui.json) throw new CliError("usage", "Use either --csv or --json");
    const source = await readSql(ctx, { argument, ...flags });
    const isPrompt = source === undefined;
    if (isPrompt && (ctx.prompter === undefined || !ctx.ui.showsOnTerminal || csv)) {
      throw actionRequired("No SQL: pass it as an argument, with --file, or on stdin", [
        ctx.lines.ofProject("db", "query", "select 1"),
      ]);
    }
    const { client, database, params } = await openDatabase(ctx, flags);
    const { branch } = flags;
    const readOnly = flags.readOnly === true;
    if (isPrompt) {
      const { runPrompt } = await import("../prompt/run_prompt.ts");
      return await runPrompt(ctx, { client, database, params, branch, readOnly });
    }
    const output = chooseOutput(ctx, { database: database.name, branch, csv });
    const { sql } = source;
    const events = queryEvents(client, {
      params,
      body: { sql, branch, readOnly },
      signal: ctx.signal,
    });
    try {
      await passEvents(ctx.ui, events, { output, source });
    } catch (thrown) {
      const change = { ...changeOf(queryDatabase, params), outcome: "unknown" } as const;
      const error = ctx.signal.aborted ? interrupted(readOnly ? [] : [change], ctx.lines) : thrown;
      const report = describeError(error, { apiUrl: ctx.apiUrl, lines: ctx.lines, args: ["sql"] });
      if (!output.fail(toJsonError(report))) throw error;
      return report.exitCode;
    }
  },
});
