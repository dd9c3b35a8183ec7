/** @module The command that starts this program as a server's process. */
import { fileURLToPath } from "node:url";
import { COMPUTE_PROCESS_ARGUMENT } from "../../lib/process_arguments.ts";
import { mayMakeNamespaces } from "../process/own_namespaces.ts";
import { type ProcessCommandOptions, selfCommand } from "../process/self_command.ts";
import { TEMPORARY_PLACES } from "./sandbox/temporary_folder.ts";
import type { SpawnCommand, SpawnFacts } from "./server_launcher.ts";

/** Harmless data about the machine that frameworks read. */
export const ALLOWED_SYS = [
  "hostname",
  "osRelease",
  "osUptime",
  "cpus",
  "loadavg",
  "systemMemoryInfo",
  "homedir",
  "uid",
  "gid",
  "getegid",
  "userInfo",
] as const;

/** Returns the command for this program, compiled or run from source. */
export function computeProcessCommand(
  { env }: ProcessCommandOptions,
): SpawnCommand {
  const runtime = fileURLToPath(new URL("../", import.meta.url));
  const self = selfCommand({
    argument: COMPUTE_PROCESS_ARGUMENT,
    main: fileURLToPath(new URL("./process_main.ts", import.meta.url)),
    env,
    flags: (folder, { directory }: SpawnFacts) => [
      `--allow-read=${[runtime, directory, folder, ...TEMPORARY_PLACES].join(",")}`,
      `--allow-write=${[folder, ...TEMPORARY_PLACES].join(",")}`,
      "--allow-net",
      "--allow-env",
      "--allow-sys",
      "--allow-ffi",
    ],
  });
  return (folder, server) => mayMakeNamespaces(self(folder, server));
}
