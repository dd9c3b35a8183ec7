/** @module Decides which process must stop for another one to start. */

/** One of a limited number of processes. */
export interface Tenant {
  /** True while the process is stopping. */
  readonly ending: boolean;
  /**
   * Time when the process became idle, in milliseconds of a monotonic clock; `undefined` while it
   * is in use.
   */
  readonly idleSince: number | undefined;
}

type PlaceDecision<T extends Tenant> =
  /** Another process can start. */
  | { readonly type: "start" }
  /** Stopping this process frees a slot. */
  | { readonly type: "end"; readonly tenant: T }
  /** A slot becomes free as soon as a process stops or becomes idle. */
  | { readonly type: "wait" };

interface PlaceFacts<T extends Tenant> {
  /** Number of occupied slots, including those of processes that are starting. */
  readonly taken: number;
  readonly max: number;
  /** Number of processes that are waiting for a slot. */
  readonly waiting: number;
  readonly tenants: Iterable<T>;
}

/**
 * Decides what the first waiting process needs. The tenant that has been idle the longest is
 * stopped first.
 */
export function decidePlace<T extends Tenant>(facts: PlaceFacts<T>): PlaceDecision<T> {
  const { taken, max, waiting, tenants } = facts;
  if (taken < max) return { type: "start" };
  let ending = 0;
  let longest: T | undefined;
  for (const tenant of tenants) {
    if (tenant.ending) ending++;
    else if (
      tenant.idleSince !== undefined && tenant.idleSince < (longest?.idleSince ?? Infinity)
    ) longest = tenant;
  }
  // Either no process is idle, or the processes that are already stopping will free enough slots.
  if (longest === undefined || ending >= waiting) return { type: "wait" };
  return { type: "end", tenant: longest };
}

const MIB = 1024 * 1024;

/** Assumed memory of a function process, including its runtime, in MiB. */
const FUNCTIONS_MB = 192;

/** Fraction of the machine's memory that function processes can fill. */
const FUNCTIONS_PART = 0.25;

/** Memory that one server is assumed to use, in MiB: the default limit for a server. */
const SERVER_MB = 256;

/** Fraction of the machine's memory that servers can fill. */
const MEMORY_PART = 0.75;

const SERVERS_PER_PROCESSOR = 32;

/**
 * Minimum number of slots. With fewer slots, two successive deployments could wait for each other.
 */
const LEAST = 4;

/** Returns the default maximum number of function processes on a machine. */
export function defaultMaxFunctionProcesses(memoryBytes: number): number {
  return Math.max(LEAST, Math.floor(memoryBytes * FUNCTIONS_PART / MIB / FUNCTIONS_MB));
}

/** Returns the default maximum number of servers on a machine. */
export function defaultMaxServers(
  { memoryBytes, processors }: { readonly memoryBytes: number; readonly processors: number },
): number {
  const byMemory = Math.floor(memoryBytes * MEMORY_PART / MIB / SERVER_MB);
  return Math.max(LEAST, Math.min(byMemory, processors * SERVERS_PER_PROCESSOR));
}
