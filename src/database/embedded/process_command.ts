/** @module The command that starts this program as a database process. */
import { fileURLToPath } from "node:url";
import { DATABASE_PROCESS_ARGUMENT } from "../../lib/process_arguments.ts";
import {
  type ProcessCommand,
  type ProcessCommandOptions,
  selfCommand,
} from "../../runtime/process/self_command.ts";

/** Import map for the Node modules that the engine's code imports without their prefix. */
export const ENGINE_NAMES = `data:application/json,${
  encodeURIComponent(JSON.stringify({ imports: { module: "node:module" } }))
}`;

/** Returns the command for this program, compiled or run from source. */
export function databaseProcessCommand(
  { env }: ProcessCommandOptions,
): (socketPath: string) => ProcessCommand {
  return selfCommand({
    argument: DATABASE_PROCESS_ARGUMENT,
    main: fileURLToPath(new URL("./process_main.ts", import.meta.url)),
    env,
    // The kernel sandboxes the main thread. The watcher thread runs only the platform's own code.
    flags: () => ["--allow-all", `--import-map=${ENGINE_NAMES}`],
  });
}
