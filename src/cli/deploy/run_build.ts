/**
 * Running a project's build command, its output shown as it comes.
 *
 * @module
 */
import { CliError } from "../cli_error.ts";
import type { Context } from "../context.ts";

/** Longest piece of a line that becomes one log line, in characters. */
const MAX_LINE = 4096;

export interface BuildRun {
  readonly command: string;
  /** Absolute path. */
  readonly directory: string;
  /** Variables over this program's own. */
  readonly variables: Readonly<Record<string, string>>;
}

function shellOf(command: string): { readonly program: string; readonly args: string[] } {
  return Deno.build.os === "windows"
    ? { program: "cmd", args: ["/d", "/s", "/c", command] }
    : { program: "/bin/sh", args: ["-c", command] };
}

/** Gives complete lines, without control sequences, to `say`. */
async function readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  say: (line: string) => void,
): Promise<void> {
  let rest = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split(/\r\n|[\n\r]/);
    rest = lines.pop() ?? "";
    while (rest.length > MAX_LINE) {
      lines.push(rest.slice(0, MAX_LINE));
      rest = rest.slice(MAX_LINE);
    }
    for (const line of lines) if (line !== "") say(line);
  }
  if (rest !== "") say(rest);
}

async function forward(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  ctx: Context,
): Promise<void> {
  if (ctx.ui.json) return await readLines(stream, (line) => ctx.ui.log("build", "info", line));
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    ctx.ui.stderr.write(chunk);
  }
}

/**
 * Runs the command through the shell. Its output goes to stderr (log lines in
 * JSON mode). Throws `build_failed` with the exit code when it fails.
 */
export async function runBuild(
  ctx: Context,
  { command, directory, variables }: BuildRun,
): Promise<void> {
  ctx.ui.log("build", "info", `Running ${command}`);
  ctx.signal.throwIfAborted();
  const { program, args } = shellOf(command);
  const colored = ctx.ui.colors.isColorSupported && !ctx.ui.json;
  const child = new Deno.Command(program, {
    args,
    cwd: directory,
    env: { ...variables, ...(colored ? { FORCE_COLOR: "1" } : {}) },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: ctx.signal,
  }).spawn();
  const [status] = await Promise.all([
    child.status,
    forward(child.stdout, ctx),
    forward(child.stderr, ctx),
  ]);
  ctx.signal.throwIfAborted();
  if (status.success) return;
  const { code, signal } = status;
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  throw new CliError("build_failed", `Build failed with ${how}: ${command}`, {
    hint: "Its own output above says why; --build-command runs another one",
    details: { command, exitCode: code },
  });
}
