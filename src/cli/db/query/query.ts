import { changeOf } from "../../../client/client.ts";
import { queryEvents } from "../../../client/query_events.ts";
import { queryDatabase } from "../../../contract/database_queries.ts";
import { MAIN_BRANCH } from "../../../contract/databases.ts";
import { defineCommand } from "../../command/command.ts";
import { actionRequired, CliError } from "../../errors/cli_error.ts";
import { describeError, toJsonError } from "../../errors/report_error.ts";
import { interrupted } from "../../errors/interrupted.ts";
import type { Context } from "../../session/context.ts";
import { DATABASE_OPTION, openDatabase, PROJECT_OPTION } from "../open_database.ts";
import { createCsvOutput } from "./csv_output.ts";
import { createJsonOutput } from "./json_output.ts";
import type { Output } from "./output.ts";
import { readSql } from "./read_sql.ts";
import { passEvents } from "./run_sql.ts";
import { createTableOutput } from "./table_output.ts";

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
    "All statements run in one session, as one transaction unless they start others. In a terminal, it opens a prompt if you pass no SQL. In JSON, each statement is one of `results`, with `columns`, `rows`, `command` and `rowCount`. int2, int4, oid, float4 and float8 are numbers, bool and JSON keep their type, and everything else (int8, numeric, dates) is text.",
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
