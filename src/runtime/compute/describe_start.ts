/**
 * What the process of a server is told at its start. Pure.
 *
 * @module
 */
import type { ComputeServerOptions } from "./types.ts";
import type { ServerStart } from "./wire.ts";

/** The port that the server sees as its own, where its variables do not set one. */
const DEFAULT_PORT = 3000;
const HOST = "127.0.0.1";

/** Size of the folder for temporary files where the manifest sets none, in MiB. */
const DEFAULT_TMP_MB = 64;

/**
 * Makes the description of a server for its process.
 *
 * @param place the deployment's folder without links, and the limit of memory in MiB
 */
export function describeStart(
  options: ComputeServerOptions,
  place: { readonly directory: string; readonly memoryMb: number },
): ServerStart {
  const { entry, env, allowPrivate, allowUnsandboxed = false, nodeBinary, peers = [] } = options;
  const { command, tools, program } = options;
  const port = Number(env.PORT);
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
    ...(nodeBinary === undefined ? {} : { nodeBinary }),
    ...(command === undefined ? {} : { command }),
    ...(program === undefined ? {} : { program }),
    ...(tools === undefined ? {} : { tools }),
  };
}
