/** @module The command that starts this program as the process that runs a server on Node. */
import { fileURLToPath } from "node:url";
import { NODE_PROCESS_ARGUMENT } from "../../lib/process_arguments.ts";
import type { SharedSpawnCommand } from "../compute/server_launcher.ts";
import { type ProcessCommandOptions, selfCommand } from "../process/self_command.ts";
import { sourceCache } from "../process/source_cache.ts";
import { findNamespacePrefix } from "../process/own_namespaces.ts";
import { bundlePreload } from "./bundle_preload.ts";

/**
 * The search path for the program that starts the process. Node itself gets a different
 * environment.
 */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

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
  let prefix: Promise<readonly string[]> | undefined;
  let bundled: Promise<readonly [string]> | undefined;
  return async (folder) => {
    prefix ??= findNamespacePrefix();
    if (!Deno.build.standalone) bundled ??= bundlePreload(sourceCache(env)).then((path) => [path]);
    const own = self(folder);
    const [command, ...args] = [...await prefix, own.command, ...own.args, ...await bundled ?? []];
    return { command: command!, args, env: { ...own.env, PATH } };
  };
}
