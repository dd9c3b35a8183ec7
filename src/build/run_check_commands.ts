/** @module Runs a release's check commands against the deployment's own URL. */
import { CHECK_COMMANDS_MS } from "../lib/release_checks.ts";
import { BuildError } from "./build_error.ts";
import { runCommand } from "./run_command.ts";
import type { BuildHost } from "./types.ts";

/** The result of a check command. */
interface CommandOutcome {
  readonly name: string;
  readonly passed: boolean;
  readonly durationMs: number;
  /** The reason why the command did not pass, or null if it passed. */
  readonly problem: string | null;
}

interface CheckCommands {
  readonly commands: readonly string[];
  /** Absolute path of the folder that the commands run in. */
  readonly directory: string;
  /**
   * The deployment's own URL, and the token that gives requests access. Missing for a migration.
   */
  readonly place?: { readonly url: string; readonly bypass: string } | undefined;
  readonly variables?: Readonly<Record<string, string>>;
  /** True to add the last lines of a command's output to the problem. */
  readonly quotes?: boolean;
  readonly now: () => number;
  /** Time limit for all commands together, in milliseconds. */
  readonly timeMs?: number;
}

/** Returns the variables that tell a command what to check. */
const checkVariables = ({ url, bypass }: NonNullable<CheckCommands["place"]>) => ({
  SVC_CHECK_URL: url,
  SVC_CHECK_BYPASS: bypass,
});

/** Maximum number of lines and characters of output to quote in a problem. */
const MAX_LINES = 5;
const MAX_QUOTED = 1000;

const lastLines = (output: string): string =>
  output.split(/\r\n|[\n\r]/).map((line) => line.trim()).filter((line) => line !== "")
    .slice(-MAX_LINES).join("; ").slice(-MAX_QUOTED).toWellFormed();

/**
 * Runs the commands one after the other. If one fails, continues with the next. Throws only if the
 * host is stopped.
 */
export async function runCheckCommands(
  host: BuildHost,
  { commands, directory, place, variables, quotes = false, now, timeMs = CHECK_COMMANDS_MS }:
    CheckCommands,
): Promise<CommandOutcome[]> {
  const timeout = AbortSignal.timeout(timeMs);
  const signal = AbortSignal.any([host.signal, timeout]);
  // The host is the prototype: it provides everything else, including computed values such as the
  // folders.
  const limited: BuildHost = Object.create(host, { signal: { value: signal, enumerable: true } });
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) {
    const startedAt = now();
    let last = "";
    const problem = await runCommand(limited, {
      phase: "build",
      command,
      directory,
      variables: { ...variables, ...(place === undefined ? {} : checkVariables(place)) },
      suspect: (output) => Promise.resolve(void (last = lastLines(output))),
    }).then(() => null, (error) => {
      host.signal.throwIfAborted();
      if (timeout.aborted) return `It did not end within ${timeMs / 60_000} minutes`;
      if (!(error instanceof BuildError)) throw error;
      const { exitCode } = error.facts.details as { readonly exitCode: number };
      return `It exited with code ${exitCode}${quotes && last !== "" ? `: ${last}` : ""}`;
    });
    const durationMs = Math.max(0, Math.round(now() - startedAt));
    outcomes.push({ name: command, passed: problem === null, durationMs, problem });
  }
  return outcomes;
}
