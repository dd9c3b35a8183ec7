/** @module Limits on image conversion. */

/** Maximum size of a source, in bytes. */
export const MAX_SOURCE_BYTES = 25 * 1024 * 1024;

/** Maximum number of pixels in a source, counting all its frames: 8192 by 8192. */
export const MAX_SOURCE_PIXELS = 8192 * 8192;

/** Maximum size of a result, in bytes. */
export const MAX_RESULT_BYTES = 64 * 1024 * 1024;

/** Maximum width and height that can be requested, in pixels. */
export const MAX_IMAGE_SIDE = 8192;

/** Maximum width or height of a result, in pixels: JPEG's limit. */
export const MAX_RESULT_SIDE = 65_535;

export interface ImageEngineLimits {
  /** Maximum number of processes. Each process converts one image at a time. */
  readonly maxProcesses: number;
  /** Maximum number of waiting jobs, in total and per owner. */
  readonly maxQueued: number;
  readonly maxQueuedOfOwner: number;
  /** Maximum CPU time for one conversion, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum time for one conversion on a busy machine, in milliseconds. */
  readonly waitMs: number;
  /** Maximum time that a process may take to be ready, in milliseconds. */
  readonly startMs: number;
  /** Maximum resident memory of a process, in MiB. */
  readonly memoryMb: number;
  /** Time between two readings of resident memory, in milliseconds. */
  readonly memoryPollMs: number;
  /** Time without jobs after which a process exits, in milliseconds. */
  readonly idleMs: number;
}

export const DEFAULT_ENGINE_LIMITS: ImageEngineLimits = {
  maxProcesses: 1,
  maxQueued: 128,
  maxQueuedOfOwner: 48,
  timeoutMs: 10_000,
  waitMs: 60_000,
  startMs: 30_000,
  memoryMb: 1024,
  memoryPollMs: 50,
  idleMs: 60_000,
};

/** Returns the default number of image processes, from 1 to 4: one for every two processors. */
export function defaultImageProcesses(processors: number): number {
  return Math.max(1, Math.min(4, Math.floor(processors / 2)));
}
