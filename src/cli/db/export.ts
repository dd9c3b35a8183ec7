import { fetchOctets } from "../../client/query_events.ts";
import { exportDatabase } from "../../contract/database_queries.ts";
import { MAIN_BRANCH } from "../../contract/databases.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { showPath } from "../session/paths.ts";
import { formatBytes, printable } from "../terminal/format.ts";
import { withPath } from "../../lib/file_fault.ts";
import { DATABASE_ARGUMENT, openDatabase } from "./open_database.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

/** Only the user may read the file, because it contains the database's content. */
const FILE_MODE = 0o600;

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Writes to a temporary file and renames it, so an interrupted download leaves no file behind. */
async function writeStream(path: string, stream: Bytes): Promise<number> {
  const partial = `${path}.${crypto.randomUUID()}.part`;
  let bytes = 0;
  try {
    const file = await Deno.open(partial, { write: true, createNew: true, mode: FILE_MODE });
    const counted = stream.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          controller.enqueue(chunk);
        },
      }),
    );
    await counted.pipeTo(file.writable);
    await Deno.rename(partial, path);
    return bytes;
  } catch (error) {
    await Deno.remove(partial).catch(() => {});
    throw withPath(error, path);
  }
}

async function printStream(ctx: Context, stream: Bytes): Promise<void> {
  const show = ctx.ui.showsOnTerminal ? printable : (text: string) => text;
  for await (const text of stream.pipeThrough(new TextDecoderStream())) ctx.ui.data(show(text));
}

async function confirmOverwrite(ctx: Context, path: string, force: true | undefined) {
  if (await Deno.lstat(path).then(() => false, () => true)) return;
  const shown = printable(showPath(path, ctx));
  await confirm(ctx, {
    force,
    question: `Replace ${shown}?`,
    wanted: `Confirm the replacement of ${shown}`,
    declined: "Nothing exported",
  });
}

export default defineCommand({
  description:
    "Prints the current schema and data as SQL for `svc db import` or psql. Files are readable only by their owner.",
  define: (command) =>
    command
      .argument("[database]", DATABASE_ARGUMENT)
      .option("--branch <name>", "branch of the database", MAIN_BRANCH)
      .option("--output <path>", "file to write instead of stdout")
      .option("--force", "replace the file without confirmation")
      .option(...PROJECT_OPTION),
  offers: { database: "database" },
  examples: [
    ["db export --output shop.sql", "export the project's database"],
    ["db export shop --branch staging > staging.sql", "export a branch"],
  ],
  async run({ args: [given], flags }, ctx) {
    const { branch, output } = flags;
    if (output === undefined && ctx.ui.json) {
      throw new CliError(
        "usage",
        "Use --output with --json, because stdout contains only the JSON object",
        {
          next: [ctx.lines.again({ "--output": "export.sql" })],
        },
      );
    }
    const { client, database, params } = await openDatabase(ctx, {
      database: given,
      projectId: flags.projectId,
    });
    const path = output === undefined ? undefined : ctx.path(output);
    if (path !== undefined) await confirmOverwrite(ctx, path, flags.force);
    const stream = await fetchOctets(client, exportDatabase, {
      params,
      query: { branch },
      signal: ctx.signal,
    });
    if (path === undefined) return await printStream(ctx, stream);
    const bytes = await writeStream(path, stream);
    const file = showPath(path, ctx);
    const shown = `${printable(branch)} of ${database.name}`;
    ctx.ui.done("db", `Exported ${shown} to ${printable(file)} (${formatBytes(bytes)})`);
    ctx.ui.result({ database: database.name, branch, file, bytes }, "");
  },
});
