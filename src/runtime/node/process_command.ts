/** @module The command that starts this program as the process that runs a server on Node. */
import { fileURLToPath } from "node:url";
import { NODE_PROCESS_ARGUMENT } from "../../lib/process_arguments.ts";
import { SYSTEM_PATH } from "../../lib/system_path.ts";
import type { SharedSpawnCommand } from "../compute/server_launcher.ts";
import { type ProcessCommandOptions, selfCommand } from "../process/self_command.ts";
import { sourceCache } from "../process/source_cache.ts";
import { mayMakeNamespaces } from "../process/own_namespaces.ts";
import { bundlePreload } from "./bundle_preload.ts";

/**
 * Returns a function that builds the command for a Node process. The command starts svc itself,
 * which then starts Node in the sandbox.
 */
export function nodeProcessCommand(
  { env }: ProcessCommandOptions,
): SharedSpawnCommand {
  const self = selfCommand({
    argument: NODE_PROCESS_ARGUMENT,
    main: fileURLToPath(new URL("./process_main.ts", import.meta.url)),
    env,
    // The process runs no project code itself. Node runs it, in the sandbox that this process
    // creates.
    flags: () => ["--allow-all"],
  });
  let bundled: Promise<string> | undefined;
  return async (folder) => {
    const own = self(folder);
    const preload = Deno.build.standalone
      ? []
      : [await (bundled ??= bundlePreload(sourceCache(env)))];
    return await mayMakeNamespaces({
      ...own,
      args: [...own.args, ...preload],
      // Node itself gets a different environment.
      env: { ...own.env, PATH: SYSTEM_PATH },
    });
  };
}
