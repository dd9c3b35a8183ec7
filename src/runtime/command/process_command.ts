/** @module The command that starts this program again, to run a project's command as a server. */
import { fileURLToPath } from "node:url";
import { COMMAND_PROCESS_ARGUMENT } from "../../lib/process_arguments.ts";
import type { SharedSpawnCommand } from "../compute/server_launcher.ts";
import { mayMakeNamespaces } from "../process/own_namespaces.ts";
import { type ProcessCommandOptions, selfCommand } from "../process/self_command.ts";
import { SYSTEM_PATH } from "../../lib/system_path.ts";

/** Returns the command for this program, compiled or run from source. */
export function commandProcessCommand(
  { env }: ProcessCommandOptions,
): SharedSpawnCommand {
  const self = selfCommand({
    argument: COMMAND_PROCESS_ARGUMENT,
    main: fileURLToPath(new URL("./process_main.ts", import.meta.url)),
    env,
    // The process runs no project code itself, but starts it in the sandbox.
    flags: () => ["--allow-all"],
  });
  return async (folder) => {
    const own = self(folder);
    return await mayMakeNamespaces({ ...own, env: { ...own.env, PATH: SYSTEM_PATH } });
  };
}
