/** @module Limits for a deployment's server. */
import { defaultSocketLimits } from "../process/socket_count.ts";
import type { ComputeLimits } from "./types.ts";

/** The default limits of a server. */
export const DEFAULT_COMPUTE_LIMITS: ComputeLimits = {
  timeoutMs: 300_000,
  memoryMb: 256,
  maxConcurrent: 200,
  maxQueued: 800,
  maxSockets: defaultSocketLimits(Infinity).perServer,
  startMs: 30_000,
  idleMs: 300_000,
};

/**
 * Maximum delay of a timer, in milliseconds. A timer with a longer delay would fire immediately.
 */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** How often resident memory is read while the server runs, in milliseconds. */
export const MEMORY_POLL_MS = 50;

/** Time after which a server is stopped if its thread does not react, in milliseconds. */
export const UNRESPONSIVE_MS = 30_000;

/** Interval between pings to a server with requests in progress, in milliseconds. */
export const PING_EVERY_MS = 5000;

/** Maximum time for a server to react after a request has timed out, in milliseconds. */
export const GRACE_MS = 1000;

/** Maximum time that a request waits for a server that may not start again yet, in milliseconds. */
export const MAX_BACKOFF_WAIT_MS = 1000;

/** Time for a server to exit after SIGTERM, in milliseconds. */
export const TERMINATE_MS = 2000;

/** Maximum number of log entries per server per second; further entries are counted and dropped. */
export const MAX_LOG_ENTRIES_PER_SECOND = 500;
