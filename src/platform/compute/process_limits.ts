/**
 * Limits on the number of deployment processes that this machine can run, and on the number of
 * WebSockets to them.
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
 * Returns the limits on WebSockets to servers. Missing ones depend on the available file
 * descriptors.
 */
export function completeSocketLimits(given: Partial<SocketLimits>): SocketLimits {
  return { ...defaultSocketLimits(descriptorLimit()), ...given };
}
