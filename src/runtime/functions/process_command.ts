/**
 * How the program starts itself as a function process.
 *
 * @module
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { FUNCTION_PROCESS_ARGUMENT } from "../../lib/process_arguments.ts";
import { type ProcessCommand, type ProcessCommandOptions, selfCommand } from "../process/mod.ts";

/** The command for this very program, compiled or run from source. */
export function functionProcessCommand(
  { env }: ProcessCommandOptions,
): (socketPath: string) => ProcessCommand {
  const folder = fileURLToPath(new URL("./", import.meta.url));
  const frames = fileURLToPath(new URL("../process/frames/", import.meta.url));
  return selfCommand({
    argument: FUNCTION_PROCESS_ARGUMENT,
    main: `${folder}process_main.ts`,
    env,
    flags: (socketPath) => [
      "--v8-flags=--disallow-code-generation-from-strings",
      `--allow-read=${[folder, frames, socketPath].join(",")}`,
      `--allow-write=${dirname(socketPath)}`,
      `--allow-net=unix:${socketPath}`,
      "--allow-sys",
      "--allow-ffi",
    ],
  });
}
