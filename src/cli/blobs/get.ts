import { basename } from "node:path";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { showPath } from "../session/paths.ts";
import { formatBytes, printable } from "../terminal/format.ts";
import { withPath } from "../../lib/file_fault.ts";
import { ENVIRONMENT_OPTION, openStore, requestObject } from "./open_store.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

/** Writes to a temporary file and renames it, so an interrupted download leaves no file behind. */
async function writeFile(path: string, stream: ReadableStream<Uint8Array>): Promise<void> {
  const partial = `${path}.${crypto.randomUUID()}.part`;
  try {
    await Deno.writeFile(partial, stream, { createNew: true });
    await Deno.rename(partial, path);
  } catch (error) {
    await Deno.remove(partial).catch(() => {});
    throw withPath(error, path);
  }
}

export default defineCommand({
  description: "Downloads to a file named after the last part of the key; - prints to stdout.",
  define: (command) =>
    command
      .argument("<key>", "key of the object")
      .argument("[file]", "file to write; - for stdout")
      .option("--force", "replace the file without confirmation")
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [
    ["blobs get photos/kestrel.jpg", "download to kestrel.jpg"],
    ["blobs get notes.txt -", "print an object"],
  ],
  async run({ args: [key, file = basename(key)], flags }, ctx) {
    if (file === "-" && ctx.ui.json) {
      throw new CliError(
        "usage",
        "Pass a file name with --json, because stdout contains only the JSON object",
      );
    }
    const path = ctx.path(file);
    const shown = printable(showPath(path, ctx));
    if (file !== "-" && await Deno.lstat(path).then(() => true, () => false)) {
      await confirm(ctx, {
        force: flags.force,
        question: `Replace ${shown}?`,
        wanted: `Confirm the replacement of ${shown}`,
        declined: "Nothing downloaded",
      });
    }
    const store = await openStore(ctx, flags);
    const response = await requestObject(ctx, store, { key, method: "GET" });
    const stream = response.body ?? new Blob([]).stream();
    if (file === "-") return ctx.ui.bytes({}, await new Response(stream).bytes());
    await writeFile(path, stream);
    const { size: bytes } = await Deno.stat(path);
    ctx.ui.done("env", `Downloaded ${printable(key)} to ${shown} (${formatBytes(bytes)})`);
    ctx.ui.result({ key, file: showPath(path, ctx), bytes }, "");
  },
});
