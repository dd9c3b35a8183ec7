/**
 * @module Runs a command as a child process: forwards signals, and returns the command's exit code.
 * The command shares this program's streams. In JSON mode, the command's output becomes log lines,
 * because stdout must contain a single object and stderr only log lines. No shell parses the
 * command line.
 */
import { createLineSink } from "../../build/mod.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";
import { EXIT } from "../exit_code.ts";

/** Signals that a terminal sends both to this program and to the child. */
const SENT_BY_TERMINAL: ReadonlySet<Deno.Signal> = new Set(["SIGINT", "SIGQUIT"]);

interface ChildCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The full environment of the child. */
  readonly env: Record<string, string>;
}

function spawn(ctx: Context, { program, args, env }: ChildCommand): Deno.ChildProcess {
  try {
    return new Deno.Command(program, {
      args: [...args],
      cwd: ctx.cwd,
      clearEnv: true,
      env,
      stdin: "inherit",
      stdout: ctx.ui.json ? "piped" : "inherit",
      stderr: ctx.ui.json ? "piped" : "inherit",
    }).spawn();
  } catch (cause) {
    const isMissing = cause instanceof Deno.errors.NotFound;
    const reason = isMissing
      ? "it was not found"
      : cause instanceof Deno.errors.PermissionDenied
      ? "it is not executable"
      : "the system refused to run it";
    throw new CliError(
      "not_runnable",
      `Cannot run "${printable(program)}": ${reason}`,
      {
        hint: "For shell syntax, use: svc env exec -- sh -c '<commands>'",
        exitCode: isMissing ? EXIT.noProgram : EXIT.notExecutable,
      },
    );
  }
}

/** Converts each line of the command's output to a log line. */
async function logOutput(ctx: Context, { stdout, stderr }: Deno.ChildProcess): Promise<void> {
  await Promise.all([stdout, stderr].map(async (stream) => {
    const sink = createLineSink((line) => ctx.ui.log("env", "info", line));
    for await (const text of stream.pipeThrough(new TextDecoderStream())) sink.write(text);
    sink.end();
  }));
}

/**
 * Runs the command, waits until it exits, and returns its exit code. If a signal killed the
 * command, the exit code is 128 plus the signal's number. If the command cannot be started, throws
 * `not_runnable` with the exit code that shells use.
 */
export async function runChild(ctx: Context, command: ChildCommand): Promise<number> {
  ctx.signal.throwIfAborted();
  let child: Deno.ChildProcess | undefined;
  const release = ctx.takeSignals((signal) => {
    if (ctx.stdinIsTerminal && SENT_BY_TERMINAL.has(signal)) return;
    try {
      child?.kill(signal);
    } catch {
      // The child has already exited.
    }
  });
  try {
    child = spawn(ctx, command);
    const logged = ctx.ui.json ? logOutput(ctx, child) : undefined;
    const { code } = await child.status;
    await logged;
    return code;
  } finally {
    release();
  }
}
