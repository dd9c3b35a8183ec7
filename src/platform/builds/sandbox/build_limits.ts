/**
 * What one build may use.
 *
 * @module
 */

export interface BuildLimits {
  /** From the checkout to the packed output, in milliseconds. */
  readonly timeMs: number;
  /** Checkout, home, scratch space and cache together, in bytes. */
  readonly diskBytes: number;
  /** Resident memory of all its processes, in bytes. */
  readonly memoryBytes: number;
  /** Processes and threads at the same time. */
  readonly processes: number;
  /** Largest single file, in bytes. */
  readonly fileBytes: number;
  /** A project's cache is emptied after a build that leaves it larger than this, in bytes. */
  readonly cacheBytes: number;
}
