/**
 * Which server has to go so that another one can run.
 *
 * @module
 */

/** The process of a server, as one of a bounded number. */
export interface Tenant {
  /** True where it is about to be gone. */
  readonly ending: boolean;
  /** Since when nobody asks it, in milliseconds of a monotonic clock; `undefined` while it is in use. */
  readonly idleSince: number | undefined;
}

export type PlaceDecision<T extends Tenant> =
  /** There is room for one more. */
  | { readonly type: "start" }
  /** Room is made by ending this one. */
  | { readonly type: "end"; readonly tenant: T }
  /** Room comes as soon as one ends or falls idle. */
  | { readonly type: "wait" };

export interface PlaceFacts<T extends Tenant> {
  /** Places in use: those of tenants, and those of servers that are about to start. */
  readonly taken: number;
  readonly max: number;
  /** Servers that wait for a place. */
  readonly waiting: number;
  readonly tenants: Iterable<T>;
}

/** Decides for the first that waits; the tenant that was idle the longest goes first. */
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
  // What is ending already makes room for as many as are ending.
  if (longest === undefined || ending >= waiting) return { type: "wait" };
  return { type: "end", tenant: longest };
}

const MIB = 1024 * 1024;

/** Memory that a process of functions is counted with, its runtime included, in MiB. */
const FUNCTIONS_MB = 192;

/** Part of the machine's memory that processes of functions may fill. */
const FUNCTIONS_PART = 0.25;

/** Memory that a server is counted with: what the spec allows one by default, in MiB. */
const SERVER_MB = 256;

/** Part of the machine's memory that servers may fill. */
const MEMORY_PART = 0.75;

const SERVERS_PER_PROCESSOR = 32;

/** Fewer would let a deployment and its successor wait for each other. */
const LEAST = 4;

/** So many processes of functions may run at once on a machine, where nobody has said otherwise. */
export function defaultMaxFunctionProcesses(memoryBytes: number): number {
  return Math.max(LEAST, Math.floor(memoryBytes * FUNCTIONS_PART / MIB / FUNCTIONS_MB));
}

/** So many servers may run at once on a machine, where nobody has said otherwise. */
export function defaultMaxServers(
  { memoryBytes, processors }: { readonly memoryBytes: number; readonly processors: number },
): number {
  const byMemory = Math.floor(memoryBytes * MEMORY_PART / MIB / SERVER_MB);
  return Math.max(LEAST, Math.min(byMemory, processors * SERVERS_PER_PROCESSOR));
}
