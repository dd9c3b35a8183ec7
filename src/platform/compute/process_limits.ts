/**
 * How many processes of deployments, and WebSockets to them, this machine bears
 * at the same time.
 *
 * @module
 */
import { descriptorLimit } from "../../lib/descriptors.ts";
import {
  defaultMaxFunctionProcesses,
  defaultMaxServers,
  defaultSocketLimits,
  type SocketLimits,
} from "../../runtime/mod.ts";
import { machineMemory } from "./machine_memory.ts";

export interface ProcessLimits {
  readonly servers: number;
  /** Processes of functions. */
  readonly functions: number;
}

/** What holds where the operator says nothing. */
export function defaultProcessLimits(): ProcessLimits {
  const memoryBytes = machineMemory();
  return {
    servers: defaultMaxServers({ memoryBytes, processors: navigator.hardwareConcurrency }),
    functions: defaultMaxFunctionProcesses(memoryBytes),
  };
}

/** WebSockets to servers: what was given, completed by what the process's descriptors bear. */
export function completeSocketLimits(given: Partial<SocketLimits>): SocketLimits {
  return { ...defaultSocketLimits(descriptorLimit()), ...given };
}
