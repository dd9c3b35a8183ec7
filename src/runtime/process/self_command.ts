/** @module Starts this program as a process that runs project code. */
import { NO_CODE_CACHE, sourceCacheEnvironment } from "./source_cache.ts";

/** The command that starts this program as a process that runs project code. */
export interface ProcessCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface ProcessCommandOptions {
  /** The program's own environment. The process gets almost none of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface SelfCommandOptions<Facts extends readonly unknown[]> extends ProcessCommandOptions {
  /** The first argument, which makes the compiled program run as this kind of process. */
  readonly argument: string;
  /** Absolute path of the module to run when the program runs from source. */
  readonly main: string;
  /** Additional Deno flags, including permissions, if the program runs from source. */
  readonly flags: (path: string, ...facts: Facts) => readonly string[];
}

/**
 * Builds the command for this program, compiled or run from source. Its only argument is the given
 * path of the socket or folder where the process finds the platform.
 */
export function selfCommand<Facts extends readonly unknown[]>(
  { argument, main, flags, env }: SelfCommandOptions<Facts>,
): (path: string, ...facts: Facts) => ProcessCommand {
  if (Deno.build.standalone) {
    return (path, ..._facts) => ({
      command: Deno.execPath(),
      args: [argument, path],
      env: { NO_COLOR: "1" },
    });
  }
  const childEnv = sourceCacheEnvironment(env);
  return (path, ...facts) => ({
    command: Deno.execPath(),
    args: [
      "run",
      "--quiet",
      "--no-config",
      "--no-remote",
      "--no-npm",
      "--no-prompt",
      NO_CODE_CACHE,
      "--unstable-worker-options",
      ...flags(path, ...facts),
      main,
      path,
    ],
    env: childEnv,
  });
}
