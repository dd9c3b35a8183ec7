/**
 * Bounds of converting images.
 *
 * @module
 */

/** Largest source, in bytes. */
export const MAX_SOURCE_BYTES = 25 * 1024 * 1024;

/** Maximum number of pixels of a source, all its frames together: 8192 by 8192. */
export const MAX_SOURCE_PIXELS = 8192 * 8192;

/** Largest result, in bytes. */
export const MAX_RESULT_BYTES = 64 * 1024 * 1024;

/** Largest width and height that may be asked for, in pixels. */
export const MAX_IMAGE_SIDE = 8192;

/** Largest side that a result can have: that of a JPEG. */
export const MAX_RESULT_SIDE = 65_535;

export interface ImageEngineLimits {
  /** Processes at the same time; each converts one image at a time. */
  readonly maxProcesses: number;
  /** Jobs that wait, of all owners together and of one. */
  readonly maxQueued: number;
  readonly maxQueuedOfOwner: number;
  /** Longest time for one conversion, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest time that a process may take to be ready, in milliseconds. */
  readonly startMs: number;
  /** Resident memory of a process, in MiB. */
  readonly memoryMb: number;
  /** Time between two readings of resident memory, in milliseconds. */
  readonly memoryPollMs: number;
  /** Time without jobs after which a process ends, in milliseconds. */
  readonly idleMs: number;
}

export const DEFAULT_ENGINE_LIMITS: ImageEngineLimits = {
  maxProcesses: 1,
  maxQueued: 128,
  maxQueuedOfOwner: 48,
  timeoutMs: 10_000,
  startMs: 30_000,
  memoryMb: 1024,
  memoryPollMs: 50,
  idleMs: 60_000,
};

/** Processes that a machine with so many processors runs: each keeps two busy. */
export function defaultImageProcesses(processors: number): number {
  return Math.max(1, Math.min(4, Math.floor(processors / 2)));
}
