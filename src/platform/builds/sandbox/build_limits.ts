/** The limits for one build. @module */
import type { GroupLimits } from "../../../lib/control_groups.ts";

export interface BuildLimits {
  /** Time from the checkout to the packed output, in milliseconds. */
  readonly timeMs: number;
  /** Total disk space for the checkout, home folder, scratch space and cache, in bytes. */
  readonly diskBytes: number;
  /** Resident memory of all of the build's processes, in bytes. */
  readonly memoryBytes: number;
  /** Number of concurrent processes and threads. */
  readonly processes: number;
  /** Maximum size of a single file, in bytes. */
  readonly fileBytes: number;
  /**
   * Maximum size of a project's cache, in bytes. If a build leaves a larger cache, the cache is
   * emptied.
   */
  readonly cacheBytes: number;
}

/** Amount of memory that the control group allows in addition to a build's limit, in bytes. */
const UNSEEN_BYTES = 256 * 1024 ** 2;

/** Additional processes that the sandbox itself needs. */
const SANDBOX_PROCESSES = 64;

/**
 * Limits for the control group. They are above the platform's own limits, so the group kills only
 * builds that the platform itself has failed to stop.
 */
export function groupLimits({ memoryBytes, processes }: BuildLimits): GroupLimits {
  return {
    memoryBytes: memoryBytes + UNSEEN_BYTES,
    processes: processes + SANDBOX_PROCESSES,
  };
}
