/**
 * Running a command in the place of this program: its streams are the
 * program's own, signals reach it, its exit code comes back. No shell reads
 * the command line.
 *
 * @module
 */
import { CliError } from "../cli_error.ts";
import type { Context } from "../context.ts";
import { printable } from "../format.ts";

/** Signals that a terminal sends to the child itself, as it does to this program. */
const SENT_BY_TERMINAL: ReadonlySet<Deno.Signal> = new Set(["SIGINT", "SIGQUIT"]);

export interface ChildCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment of the child. */
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
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound
      ? "it is not found"
      : cause instanceof Deno.errors.PermissionDenied
      ? "it is not executable"
      : "the system refuses it";
    throw new CliError(
      "not_runnable",
      `Name a program that can be run: "${printable(program)}", ${reason}`,
      { hint: "Shell syntax needs a shell: svc env exec -- sh -c '<commands>'" },
    );
  }
}

/**
 * Runs the command to its end and returns its exit code; 128 plus the signal's
 * number where a signal ended it. Throws `not_runnable` where it does not start.
 */
export async function runChild(ctx: Context, command: ChildCommand): Promise<number> {
  ctx.signal.throwIfAborted();
  let child: Deno.ChildProcess | undefined;
  const release = ctx.takeSignals((signal) => {
    if (ctx.stdinIsTerminal && SENT_BY_TERMINAL.has(signal)) return;
    try {
      child?.kill(signal);
    } catch {
      // It has ended meanwhile.
    }
  });
  try {
    child = spawn(ctx, command);
    return (await child.status).code;
  } finally {
    release();
  }
}
