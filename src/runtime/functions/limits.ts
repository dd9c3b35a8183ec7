/**
 * Limits of a deployment's functions.
 *
 * @module
 */
import type { GroupLimits } from "../../lib/control_groups.ts";

export interface FunctionLimits {
  /** Longest time to a call's result, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Resident memory for all functions of a process, in MiB, in addition to the runtime's own needs
   * (`memoryAllowanceMb`).
   */
  readonly memoryMb: number;
  /**
   * Processor time of a call, in milliseconds. Calls that run in a worker at the same
   * time share what its thread takes.
   */
  readonly cpuMs: number;
  /** Calls that run at the same time; further ones wait. */
  readonly maxConcurrent: number;
  /** Calls that wait; further ones fail as `overloaded`. */
  readonly maxQueued: number;
  /** Longest time that promises of `waitUntil` may take after the result, in milliseconds. */
  readonly waitUntilMs: number;
  /** Longest time that a body may take after its head, in milliseconds. */
  readonly streamMs: number;
  /** Time in which a worker must react to the end of a call before it is replaced, in milliseconds. */
  readonly graceMs: number;
  /** Time in which a function must be loaded, in milliseconds. */
  readonly startMs: number;
  /** Time without calls after which the process ends, in milliseconds; 0 for never. */
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

/** Resident memory that the runtime itself may take with a number of workers, in MiB. */
export function memoryAllowanceMb(workers: number): number {
  return 80 + 20 * workers;
}

/** Workers of one function: a second one takes the calls while the first is busy. */
export const MAX_WORKERS = 2;

/** Memory beyond what is measured before the control group of a process ends it, in MiB. */
const UNSEEN_MB = 128;

/** Threads of the runtime itself, and of each worker, at most. */
const RUNTIME_THREADS = 256;
const WORKER_THREADS = 16;

const MIB = 1024 * 1024;

/**
 * The limits of a process's control group, for a number of functions. They are above the platform's
 * own, so the group only ends a process if the platform does not notice in time.
 */
export function groupLimits({ memoryMb }: FunctionLimits, functions: number): GroupLimits {
  const workers = functions * MAX_WORKERS;
  return {
    memoryBytes: (memoryMb + memoryAllowanceMb(workers) + UNSEEN_MB) * MIB,
    processes: RUNTIME_THREADS + workers * WORKER_THREADS,
  };
}

/** A worker that takes this much of the processor and sends nothing is busy, in milliseconds. */
export const BUSY_MS = 50;

/** Time without calls after which a second worker ends, in milliseconds. */
export const SPARE_IDLE_MS = 10_000;

/** `fetch`es of one function that run at the same time. */
export const MAX_FETCHES = 64;
export const TOO_MANY_FETCHES = `A function can have at most ${MAX_FETCHES} open requests`;

/** Log entries of a deployment in a second; further entries are dropped. */
export const MAX_LOG_ENTRIES_PER_SECOND = 500;

/**
 * Bytes that may wait to be written in either direction: more than all bodies and
 * heads together that may be under way.
 */
export const MAX_WORKER_BACKLOG_BYTES = 64 * 1024 * 1024;
