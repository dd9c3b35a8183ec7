/**
 * How the program starts itself as a function process.
 *
 * @module
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProcessCommand } from "./types.ts";

/** First argument that makes the compiled program a function process. */
export const FUNCTION_PROCESS_ARGUMENT = "__function-process";

/** What the process finds of the environment: where Deno keeps compiled source. */
const PASSED_VARIABLES = ["HOME", "DENO_DIR", "XDG_CACHE_HOME"] as const;

export interface ProcessCommandOptions {
  /** The program's own environment, of which the process gets next to nothing. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The command for this very program, compiled or run from source. */
export function functionProcessCommand(
  options: ProcessCommandOptions,
): (socketPath: string) => ProcessCommand {
  const env: Record<string, string> = { NO_COLOR: "1" };
  if (Deno.build.standalone) {
    return (socketPath) => ({
      command: Deno.execPath(),
      args: [FUNCTION_PROCESS_ARGUMENT, socketPath],
      env,
    });
  }
  for (const name of PASSED_VARIABLES) {
    const value = options.env[name];
    if (value !== undefined) env[name] = value;
  }
  const folder = fileURLToPath(new URL("./", import.meta.url));
  return (socketPath) => ({
    command: Deno.execPath(),
    args: [
      "run",
      "--quiet",
      "--no-config",
      "--no-remote",
      "--no-npm",
      "--no-prompt",
      "--unstable-worker-options",
      "--v8-flags=--disallow-code-generation-from-strings",
      `--allow-read=${folder},${socketPath}`,
      `--allow-write=${dirname(socketPath)}`,
      `--allow-net=unix:${socketPath}`,
      "--allow-sys",
      `${folder}process_main.ts`,
      socketPath,
    ],
    env,
  });
}
