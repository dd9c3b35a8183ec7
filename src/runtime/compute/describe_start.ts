/** @module The message that starts a server in its process. */
import type { GroupLimits } from "../../lib/control_groups.ts";
import type { ComputeServerOptions } from "./types.ts";
import type { ServerStart } from "./wire.ts";

/** The port that the server sees as its own, if its variables do not set one. */
const DEFAULT_PORT = 3000;
const HOST = "127.0.0.1";

/** Default size of the folder for temporary files, in MiB. */
const DEFAULT_TMP_MB = 64;

/**
 * Memory of the process that runs a server, and of its runtime, in MiB. Measured values are lower.
 */
const RUNTIME_MB = 256;

/** Additional memory for the package manager and shells of a Node start command, in MiB. */
const COMMAND_MB = 128;

/** Maximum number of processes and threads of a server, including those of its runtime. */
const MAX_PROCESSES = 1024;

const MIB = 1024 * 1024;

/**
 * Returns the limits of a server's control group. These limits are above the limit that the
 * platform watches, so the group kills a server only for memory that the platform does not see.
 */
export function groupLimits(
  { tmpMb = DEFAULT_TMP_MB, command }: Pick<ComputeServerOptions, "tmpMb" | "command">,
  memoryMb: number,
): GroupLimits {
  const runtimeMb = RUNTIME_MB + (command === undefined ? 0 : COMMAND_MB);
  return { memoryBytes: (memoryMb + tmpMb + runtimeMb) * MIB, processes: MAX_PROCESSES };
}

/**
 * Creates the description of a server for its process.
 *
 * @param place the deployment's real folder, and the memory limit in MiB
 */
export function describeStart(
  options: ComputeServerOptions,
  place: { readonly directory: string; readonly memoryMb: number },
): ServerStart {
  const { entry, env, allowPrivate, allowUnsandboxed = false, nodeBinary, peers = [] } = options;
  const { command, tools, program } = options;
  const port = Number(env.PORT ?? program?.image?.env.PORT);
  return {
    ...place,
    entry,
    env,
    port: Number.isInteger(port) && port > 0 && port < 65536 ? port : DEFAULT_PORT,
    host: HOST,
    allowPrivate,
    peers,
    routes: options.routes ?? [],
    hosts: options.hosts ?? [],
    allowUnsandboxed,
    tmpMb: options.tmpMb ?? DEFAULT_TMP_MB,
    nodeBinary,
    command,
    program,
    tools,
  };
}
