/**
 * @module Starts other programs. All programs that run or inspect untrusted code are started here,
 * so no such program gets this process's open files or svc's own credentials.
 */
import { inheritedVariables } from "./child_variables.ts";
import { keepDescriptors } from "./descriptors.ts";

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
  try {
    return await new Deno.Command(program, withEnvironment(options)).output();
  } catch (error) {
    throw explain(error, program);
  }
}
