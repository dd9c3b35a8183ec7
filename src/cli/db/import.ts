import { changeOf } from "../../client/client.ts";
import { importEvents } from "../../client/query_events.ts";
import { MAIN_BRANCH } from "../../contract/databases.ts";
import { importDatabase, MAX_IMPORT_BYTES } from "../../contract/database_queries.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { interrupted } from "../errors/interrupted.ts";
import type { Context } from "../session/context.ts";
import { formatBytes, formatCount, printable } from "../terminal/format.ts";
import { DATABASE_ARGUMENT, openDatabase } from "./open_database.ts";
import { passEvents } from "./query/run_sql.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

const STDIN = "-";
/** Maximum script size, in bytes, for which errors show the affected line. */
const MAX_SHOWN = 4 * 1024 * 1024;

interface Script {
  readonly octets: ReadableStream<Uint8Array>;
  /** The script, if it is small enough for errors to show the affected line. */
  readonly sql?: string;
  readonly file?: string;
}

async function openScript(ctx: Context, file: string | undefined): Promise<Script> {
  if (file === undefined || file === STDIN) {
    if (ctx.stdinIsTerminal && file === undefined) {
      throw new CliError("action_required", "No script: use --file, or pipe it to stdin", {
        hint: "`svc db import --help` shows both",
      });
    }
    return { octets: ctx.stdin() };
  }
  const opened = await Deno.open(ctx.path(file));
  const { size, isDirectory } = await opened.stat();
  const tooLarge = size > MAX_IMPORT_BYTES;
  if (isDirectory || tooLarge) {
    opened.close();
    const why = isDirectory
      ? "is a directory"
      : `has ${formatBytes(size)}, more than ${formatBytes(MAX_IMPORT_BYTES)}`;
    throw new CliError("usage", `Cannot import "${printable(file)}": it ${why}`, {
      ...(isDirectory
        ? {
          hint:
            "Convert a directory from pg_dump (-Fd) to SQL: pg_restore --no-owner --file=dump.sql",
        }
        : {}),
      ...(tooLarge
        ? { hint: "Run it with psql: psql $(svc db connection) --single-transaction" }
        : {}),
    });
  }
  if (size > MAX_SHOWN) return { octets: opened.readable, file };
  const text = await new Response(opened.readable).text();
  return { octets: new Blob([text]).stream(), sql: text, file };
}

export default defineCommand({
  description:
    "Either the whole script takes effect or none of it does. Accepts the output of `svc db export` and pg_dump, including COPY data. Statements about unknown roles are skipped with a warning. Other psql commands and archives (pg_dump -Fc) are refused.",
  define: (command) =>
    command
      .argument("[database]", DATABASE_ARGUMENT)
      .option("--file <path>", "the script; - for stdin (default: stdin)")
      .option("--branch <name>", "branch of the database", MAIN_BRANCH)
      .option(...PROJECT_OPTION),
  offers: { database: "database" },
  examples: [
    ["db import --file shop.sql", "run a script on the project's database"],
    ["db import shop --branch staging < shop.sql", "run it on a branch"],
  ],
  async run({ args: [given], flags }, ctx) {
    const { branch } = flags;
    const { client, database, params } = await openDatabase(ctx, {
      database: given,
      projectId: flags.projectId,
    });
    const { octets, ...source } = await openScript(ctx, flags.file);
    let statements = 0;
    const events = importEvents(client, {
      params,
      query: { branch },
      octets,
      signal: ctx.signal,
    });
    const output = {
      columns: () => {},
      rows: () => {},
      complete: () => void statements++,
      end: () => {},
      fail: () => false,
    };
    await passEvents(ctx.ui, events, { output, source }).catch((error) => {
      if (!ctx.signal.aborted) throw error;
      const change = { ...changeOf(importDatabase, params), outcome: "unknown" } as const;
      throw interrupted([change], ctx.lines);
    });
    ctx.ui.done(
      "db",
      `Ran ${formatCount(statements, "statement")} on ${printable(branch)} of ${database.name}`,
    );
    ctx.ui.result({ database: database.name, branch, statements }, "");
  },
});
