/**
 * @module Starts other programs. All programs that run or inspect untrusted code are started here,
 * so no such program gets this process's open files or svc's own credentials.
 */
import { setTimeout as delay } from "node:timers/promises";
import { inheritedVariables } from "./child_variables.ts";
import { keepDescriptors } from "./descriptors.ts";

/**
 * Number of waits for a program file that is open for writing, and their length in milliseconds.
 */
const [BUSY_WAITS, BUSY_WAIT_MS] = [20, 25] as const;

/** The program to start is not installed on this machine. */
export class MissingProgramError extends Deno.errors.NotFound {
  constructor(readonly program: string, cause: Error) {
    super(`Cannot start ${program}: it is not installed on this machine`, { cause });
  }
}

/** Distinguishes between a missing program and a missing working directory. */
function explain(error: unknown, program: string): unknown {
  const isMissing = error instanceof Deno.errors.NotFound && !error.message.includes("No such cwd");
  return isMissing ? new MissingProgramError(program, error) : error;
}

/**
 * Returns the options with the environment of a child process. A complete environment (`clearEnv`)
 * stays unchanged.
 */
function withEnvironment(options: Deno.CommandOptions): Deno.CommandOptions {
  if (options.clearEnv === true) return options;
  const env = { ...inheritedVariables(Deno.env.toObject()), ...options.env };
  return { ...options, clearEnv: true, env };
}

/**
 * Starts a program with standard input, output and error as set in the options. The program gets no
 * other descriptors, not even those that this process inherited.
 *
 * @throws {MissingProgramError} if the program is not installed; otherwise like
 * `Deno.Command#spawn`
 */
export function spawnProgram(program: string, options: Deno.CommandOptions): Deno.ChildProcess {
  keepDescriptors();
  try {
    return new Deno.Command(program, withEnvironment(options)).spawn();
  } catch (error) {
    throw explain(error, program);
  }
}

/**
 * Linux does not run a file that is open for writing. After this process has written and closed a
 * file, a child process that another thread is starting can still have it open for a moment.
 */
const isOpenForWriting = (error: unknown): boolean =>
  error instanceof Error && /text file busy/i.test(error.message);

async function outputOf(
  program: string,
  options: Deno.CommandOptions,
): Promise<Deno.CommandOutput> {
  for (let waits = 0;; waits++) {
    try {
      return await new Deno.Command(program, options).output();
    } catch (error) {
      if (!isOpenForWriting(error) || waits === BUSY_WAITS) throw explain(error, program);
    }
    await delay(BUSY_WAIT_MS);
  }
}

/**
 * Like `spawnProgram()`, but waits for the program to exit, and collects its output unless the
 * options redirect it.
 *
 * @throws {MissingProgramError} if the program is not installed; otherwise like
 * `Deno.Command#output`
 */
export async function runProgram(
  program: string,
  options: Deno.CommandOptions,
): Promise<Deno.CommandOutput> {
  keepDescriptors();
  return await outputOf(program, withEnvironment(options));
}
