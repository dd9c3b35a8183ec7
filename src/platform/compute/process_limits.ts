/** How many deployment processes, and WebSockets to them, this machine can hold. @module */
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
  readonly functions: number;
}

export function defaultProcessLimits(): ProcessLimits {
  const memoryBytes = machineMemory();
  return {
    servers: defaultMaxServers({ memoryBytes, processors: navigator.hardwareConcurrency }),
    functions: defaultMaxFunctionProcesses(memoryBytes),
  };
}

/**
 * The limits of WebSockets to servers: the given ones, or a default based on the available
 * descriptors.
 */
export function completeSocketLimits(given: Partial<SocketLimits>): SocketLimits {
  return { ...defaultSocketLimits(descriptorLimit()), ...given };
}
