/**
 * How many processes of deployments this machine bears at the same time.
 *
 * @module
 */
import { defaultMaxFunctionProcesses, defaultMaxServers } from "../../runtime/mod.ts";
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
