/** @module `svc serve --background`, which starts the platform in a separate process. */
import * as z from "zod";
import { spawnProgram } from "../../lib/spawn_program.ts";
import { CLI_ERROR_CODES, CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";

const failure = z.object({ error: z.string(), code: z.enum(CLI_ERROR_CODES).catch("internal") });

/**
 * Reads the first line of a stream. Returns `undefined` if the stream ends before the line is
 * complete.
 */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) {
    text += part;
    const end = text.indexOf("\n");
    if (end !== -1) return text.slice(0, end);
  }
  return undefined;
}

/** Parses the platform's ready message as the result of the command. */
function readResult(line: string, isJson: boolean): Readonly<Record<string, unknown>> {
  if (!isJson) return {};
  const result: unknown = JSON.parse(line);
  const failed = failure.safeParse(result);
  if (failed.success) throw new CliError(failed.data.code, failed.data.error);
  return result as Readonly<Record<string, unknown>>;
}

/** Starts the platform in a separate process, and returns when the platform responds. */
export async function serveInBackground(ctx: Context): Promise<void> {
  if (!Deno.build.standalone) {
    throw new CliError("unsupported", "Cannot run svc from source in the background", {
      hint: "Compile it with deno task compile, and run that program with --background",
    });
  }
  const child = spawnProgram(Deno.execPath(), {
    args: [...ctx.lines.wordsAgain({ "--background": undefined })],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
    detached: true,
    // The process runs this same program, so it gets the full environment, including credentials.
    clearEnv: true,
    env: Deno.env.toObject(),
  });
  const line = await firstLine(child.stdout);
  if (line === undefined) {
    const { code } = await child.status;
    throw new CliError("not_listening", `The platform exited with code ${code}`);
  }
  child.unref();
  const { pid } = child;
  ctx.ui.result({ ...readResult(line, ctx.ui.json), pid }, line);
}
