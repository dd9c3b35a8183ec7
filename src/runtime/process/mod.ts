/**
 * Running processes of foreign code, servers and functions alike: how many may run, how
 * the program starts itself as one, how each is supervised, what it may hold
 * open, and its own side of the connection to the platform.
 *
 * @module
 */
export { type AttendedProcess, attendProcess } from "./attend_process.ts";
export { ConcurrencyGate, type Release, waitForPlace } from "./concurrency_gate.ts";
export { defaultMaxFunctionProcesses, defaultMaxServers } from "./decide_place.ts";
export { refuseForeignDescriptors, refuseInheritedDescriptors } from "./own_descriptors.ts";
export { parsePayload } from "./parse_payload.ts";
export { findNamespacePrefix, mayMakeNamespaces } from "./own_namespaces.ts";
export { ProcessPlaces } from "./process_places.ts";
export {
  type EndCause,
  NoPlaceError,
  type ProcessDriver,
  ProcessSupervisor,
  type SupervisedProcess,
} from "./process_supervisor.ts";
export { residentBytes } from "./resident_memory.ts";
export { type ProcessCommand, type ProcessCommandOptions, selfCommand } from "./self_command.ts";
export { endWith, servePlatform, workerUrl, yieldToPlatform } from "./serve_platform.ts";
export {
  decideSocket,
  defaultSocketLimits,
  SocketCount,
  type SocketLimits,
} from "./socket_count.ts";
export { denoCache, sourceCache } from "./source_cache.ts";
export { startProcess } from "./start_process.ts";
export { temporaryBytes } from "./temporary_files.ts";
export { SYSTEM_TIMERS, type Timers, within } from "./timers.ts";
