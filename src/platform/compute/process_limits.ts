/**
 * How many processes of deployments, and WebSockets to them, this machine can
 * hold at the same time.
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
import { machineMemory } from "../../lib/machine_memory.ts";

export interface ProcessLimits {
  readonly servers: number;
  /** Processes of functions. */
  readonly functions: number;
}

/** The limits where the operator sets none. */
export function defaultProcessLimits(): ProcessLimits {
  const memoryBytes = machineMemory();
  return {
    servers: defaultMaxServers({ memoryBytes, processors: navigator.hardwareConcurrency }),
    functions: defaultMaxFunctionProcesses(memoryBytes),
  };
}

/**
 * The limits of WebSockets to servers: the given ones, and for the rest what
 * the process's descriptors allow.
 */
export function completeSocketLimits(given: Partial<SocketLimits>): SocketLimits {
  return { ...defaultSocketLimits(descriptorLimit()), ...given };
}
