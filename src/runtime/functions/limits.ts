/** @module Limits on a deployment's functions. */
import type { GroupLimits } from "../../lib/control_groups.ts";

export interface FunctionLimits {
  /** Maximum time for a call to return its result, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Maximum resident memory of all functions in a process, in MiB, in addition to the runtime's own
   * needs (`memoryAllowanceMb`).
   */
  readonly memoryMb: number;
  /**
   * Maximum CPU time of a call, in milliseconds. Calls that run in a worker at the same time
   * share its thread's time.
   */
  readonly cpuMs: number;
  /** Maximum number of concurrent calls; further calls wait. */
  readonly maxConcurrent: number;
  /** Maximum number of waiting calls; further calls fail as `overloaded`. */
  readonly maxQueued: number;
  /** Maximum time that `waitUntil()` promises may take after the result, in milliseconds. */
  readonly waitUntilMs: number;
  /** Maximum time that a body may take after its headers, in milliseconds. */
  readonly streamMs: number;
  /**
   * How long a worker can take to react to the end of a call before it is replaced, in
   * milliseconds.
   */
  readonly graceMs: number;
  /** Maximum time to load a function, in milliseconds. */
  readonly startMs: number;
  /** Time without calls after which the process exits, in milliseconds; 0 for never. */
  readonly idleMs: number;
  /** Time between two readings of resident memory, in milliseconds. */
  readonly memoryPollMs: number;
}

export const DEFAULT_FUNCTION_LIMITS: FunctionLimits = {
  timeoutMs: 10_000,
  memoryMb: 128,
  cpuMs: 1000,
  maxConcurrent: 100,
  maxQueued: 400,
  waitUntilMs: 30_000,
  streamMs: 300_000,
  graceMs: 250,
  startMs: 10_000,
  idleMs: 300_000,
  memoryPollMs: 50,
};

/**
 * Returns the resident memory that the runtime itself may use with the given number of workers, in
 * MiB.
 */
export function memoryAllowanceMb(workers: number): number {
  return 80 + 20 * workers;
}

/**
 * Maximum number of workers per function. A second worker handles calls while the first one is
 * busy.
 */
export const MAX_WORKERS = 2;

/**
 * Additional memory, beyond the measured limit, at which the control group kills the process, in
 * MiB.
 */
const UNSEEN_MB = 128;

/** Maximum number of threads of the runtime itself, and of each worker. */
const RUNTIME_THREADS = 256;
const WORKER_THREADS = 16;

const MIB = 1024 * 1024;

/**
 * Returns the limits of a process's control group for a given number of functions. These limits are
 * above the platform's own, so the group kills a process only if the platform does not react in
 * time.
 */
export function groupLimits({ memoryMb }: FunctionLimits, functions: number): GroupLimits {
  const workers = functions * MAX_WORKERS;
  return {
    memoryBytes: (memoryMb + memoryAllowanceMb(workers) + UNSEEN_MB) * MIB,
    processes: RUNTIME_THREADS + workers * WORKER_THREADS,
  };
}

/** CPU time after which a worker that sends nothing counts as busy, in milliseconds. */
export const BUSY_MS = 50;

/** Time without calls after which a second worker exits, in milliseconds. */
export const SPARE_IDLE_MS = 10_000;

/** Maximum number of concurrent `fetch` calls per worker. */
export const MAX_FETCHES = 64;
export const TOO_MANY_FETCHES = `A function can have at most ${MAX_FETCHES} requests in progress`;

/** Maximum number of log entries per deployment per second; further entries are dropped. */
export const MAX_LOG_ENTRIES_PER_SECOND = 500;

/**
 * Maximum number of bytes waiting to be written in either direction. This is more than all allowed
 * bodies and heads together.
 */
export const MAX_WORKER_BACKLOG_BYTES = 64 * 1024 * 1024;
