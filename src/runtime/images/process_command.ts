/** @module The command that starts this program as an image process. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { IMAGE_PROCESS_ARGUMENT } from "../../lib/process_arguments.ts";
import {
  type ProcessCommand,
  type ProcessCommandOptions,
  selfCommand,
} from "../process/self_command.ts";
import { engineFolder, engineFolderPath } from "./engine_files.ts";

/** Returns the command for this program, compiled or run from source. */
export function imageProcessCommand(
  { env }: ProcessCommandOptions,
): (socketPath: string) => ProcessCommand {
  const runtime = fileURLToPath(new URL("../", import.meta.url));
  return selfCommand({
    argument: IMAGE_PROCESS_ARGUMENT,
    main: fileURLToPath(new URL("./process_main.ts", import.meta.url)),
    env,
    flags: (socketPath) => [
      `--allow-read=${
        [runtime, fileURLToPath(engineFolder()), engineFolderPath(), socketPath].join(",")
      }`,
      `--allow-write=${dirname(socketPath)}`,
      "--allow-env",
      "--allow-sys",
      "--allow-ffi",
    ],
  });
}
