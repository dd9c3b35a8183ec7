/** @module Runs the `svc db query` prompt on a database on the platform. */
import process from "node:process";
import { dirname, join } from "node:path";
import { queryEvents } from "../../../client/query_events.ts";
import { MAIN_BRANCH } from "../../../contract/databases.ts";
import { describeError, toHumanError } from "../../errors/report_error.ts";
import type { Context } from "../../session/context.ts";
import { printable } from "../../terminal/format.ts";
import type { OpenedDatabase } from "../open_database.ts";
import { passEvents } from "../query/run_sql.ts";
import { createTableOutput } from "../query/table_output.ts";
import { openHistory } from "./history.ts";
import { openPrompt } from "./prompt.ts";

const HISTORY_FILE = "db_history";

interface PromptFacts extends Pick<OpenedDatabase, "client" | "database" | "params"> {
  readonly branch: string;
  readonly readOnly: boolean;
}

function greet(ctx: Context, { database, branch, readOnly }: PromptFacts): void {
  const what = `${database.name}, branch ${printable(branch)}${readOnly ? ", read-only" : ""}`;
  ctx.ui.note(`PostgreSQL ${database.version ?? ""} (${database.engine}): ${what}`);
  ctx.ui.note(ctx.ui.colors.dim("\\? lists commands, \\q or Ctrl-D quits"));
}

/** Reads statements from the terminal and runs them, until the user quits. */
export async function runPrompt(ctx: Context, facts: PromptFacts): Promise<void> {
  const { client, database, params, branch, readOnly } = facts;
  const folder = ctx.credentials.path;
  const history = await openHistory(
    folder === undefined ? undefined : join(dirname(folder), HISTORY_FILE),
  );
  let expanded = false;

  async function run(sql: string, signal: AbortSignal): Promise<void> {
    const output = createTableOutput(ctx.ui, {
      expanded: () => expanded,
      whole: "Use svc db query '…' --csv to see all rows",
    });
    try {
      const events = queryEvents(client, { params, body: { sql, branch, readOnly }, signal });
      await passEvents(ctx.ui, events, { output, source: { sql } });
    } catch (error) {
      if (signal.aborted) return ctx.ui.note("Cancelled");
      const report = describeError(error, { apiUrl: ctx.apiUrl, args: ["sql"] });
      ctx.ui.note(toHumanError(report, ctx.ui.colors));
    }
  }

  greet(ctx, facts);
  const prompt = openPrompt({
    input: process.stdin,
    output: process.stdout,
    name: branch === MAIN_BRANCH ? database.name : `${database.name}/${printable(branch)}`,
    history,
    run,
    say: (text) => ctx.ui.note(text),
    setExpanded: (wanted) => expanded = wanted,
  });
  const release = ctx.takeSignals((signal) => {
    if (signal === "SIGINT") prompt.interrupt();
    else prompt.close();
  });
  try {
    await prompt.done;
  } finally {
    release();
  }
}
