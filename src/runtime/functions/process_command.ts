/**
 * How the program starts itself as a function process.
 *
 * @module
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { NO_CODE_CACHE, sourceCacheEnvironment } from "../process/source_cache.ts";
import type { ProcessCommand } from "./types.ts";

/** First argument that makes the compiled program a function process. */
export const FUNCTION_PROCESS_ARGUMENT = "__function-process";

export interface ProcessCommandOptions {
  /** The program's own environment, of which the process gets next to nothing. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The command for this very program, compiled or run from source. */
export function functionProcessCommand(
  options: ProcessCommandOptions,
): (socketPath: string) => ProcessCommand {
  if (Deno.build.standalone) {
    return (socketPath) => ({
      command: Deno.execPath(),
      args: [FUNCTION_PROCESS_ARGUMENT, socketPath],
      env: { NO_COLOR: "1" },
    });
  }
  const env = sourceCacheEnvironment(options.env);
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
      NO_CODE_CACHE,
      "--unstable-worker-options",
      "--v8-flags=--disallow-code-generation-from-strings",
      `--allow-read=${folder},${socketPath}`,
      `--allow-write=${dirname(socketPath)}`,
      `--allow-net=unix:${socketPath}`,
      "--allow-sys",
      "--allow-ffi",
      `${folder}process_main.ts`,
      socketPath,
    ],
    env,
  });
}
