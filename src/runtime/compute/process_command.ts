/**
 * How the program starts itself as the process of a server.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import type { ProcessCommand } from "../functions/types.ts";
import { NO_CODE_CACHE, sourceCacheEnvironment } from "../process/source_cache.ts";
import { PRIVATE_RANGES } from "./confine/private_address.ts";
import type { SpawnFacts } from "./types.ts";

/** First argument that makes the compiled program the process of a server. */
export const COMPUTE_PROCESS_ARGUMENT = "__compute-process";

/** What frameworks ask about the machine, and what tells nothing. */
export const ALLOWED_SYS = ["hostname", "osRelease", "cpus", "loadavg", "homedir"] as const;

/**
 * Ranges in the form that `--deny-net` takes: it knows ranges of IPv4 only,
 * and single addresses of IPv6.
 */
const DENIED_BY_FLAG = [
  ...PRIVATE_RANGES.filter((range) => !range.includes(":")),
  "[::]",
  "[::1]",
].join(",");

export interface ProcessCommandOptions {
  /** The program's own environment, of which the process gets next to nothing. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The command for this very program, compiled or run from source. */
export function computeProcessCommand(
  options: ProcessCommandOptions,
): (folder: string, server: SpawnFacts) => ProcessCommand {
  if (Deno.build.standalone) {
    return (folder) => ({
      command: Deno.execPath(),
      args: [COMPUTE_PROCESS_ARGUMENT, folder],
      env: { NO_COLOR: "1" },
    });
  }
  const env = sourceCacheEnvironment(options.env);
  const runtime = fileURLToPath(new URL("../", import.meta.url));
  return (folder, { directory, allowPrivate }) => ({
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
      "--unstable-no-legacy-abort",
      `--allow-read=${[runtime, directory, folder].join(",")}`,
      `--allow-write=${folder}`,
      "--allow-net",
      ...(allowPrivate ? [] : [`--deny-net=${DENIED_BY_FLAG}`]),
      "--allow-env",
      "--allow-sys",
      "--allow-ffi",
      `${runtime}compute/process_main.ts`,
      folder,
    ],
    env,
  });
}
