/**
 * How the program starts itself as the process that runs a server on Node.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import type { SpawnFacts } from "../compute/mod.ts";
import {
  type ProcessCommand,
  type ProcessCommandOptions,
  selfCommand,
  sourceCache,
} from "../process/mod.ts";
import { bundlePreload } from "./preload_text.ts";

/** First argument that makes the compiled program the process of a server on Node. */
export const NODE_PROCESS_ARGUMENT = "__node-process";

/** The command for this very program, compiled or run from source. */
export function nodeProcessCommand(
  { env }: ProcessCommandOptions,
): (folder: string, server: SpawnFacts) => Promise<ProcessCommand> {
  const self = selfCommand({
    argument: NODE_PROCESS_ARGUMENT,
    main: fileURLToPath(new URL("./process_main.ts", import.meta.url)),
    env,
    // The process runs no foreign code itself: Node does, in the sandbox that it makes.
    flags: () => ["--allow-all"],
  });
  let bundled: Promise<string> | undefined;
  return async (folder) => {
    const command = self(folder);
    if (Deno.build.standalone) return command;
    bundled ??= bundlePreload(sourceCache(env));
    return { ...command, args: [...command.args, await bundled] };
  };
}
