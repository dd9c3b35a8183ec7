/**
 * Runs the servers of a deployment's COMPUTE layers.
 *
 * @module
 */
export { createComputeServer } from "./compute_server.ts";
export { computeProcessCommand } from "./process_command.ts";
export type { Revalidate, Revalidation } from "./engine/mod.ts";
export { connectRunningServer, type RunningServer } from "./running_server.ts";
export { SOCKET_PATH_BYTES } from "./start_server.ts";
export type { ServerTool } from "./wire.ts";
export {
  type ComputeFailure,
  type ComputeHealth,
  type ComputeLogEntry,
  type ComputeRequest,
  type ComputeResponse,
  type ComputeResult,
  type ComputeServer,
  type ComputeServerOptions,
  type ComputeSocket,
  type ComputeSocketResult,
  type SpawnFacts,
} from "./types.ts";
export { DEPTH_HEADER, MAX_DEPTH } from "./wire.ts";
