/** Limits of one build. @module */
import type { GroupLimits } from "../../../lib/control_groups.ts";

export interface BuildLimits {
  /** From the checkout to the packed output, in milliseconds. */
  readonly timeMs: number;
  /** Checkout, home, scratch space and cache together, in bytes. */
  readonly diskBytes: number;
  /** Resident memory of all its processes, in bytes. */
  readonly memoryBytes: number;
  /** Processes and threads at the same time. */
  readonly processes: number;
  /** Maximum size of a single file, in bytes. */
  readonly fileBytes: number;
  /** A project's cache is emptied after a build that leaves it larger than this, in bytes. */
  readonly cacheBytes: number;
}

/** Memory beyond the measured amount before the control group ends a build, in bytes. */
const UNSEEN_BYTES = 256 * 1024 ** 2;

/** Processes of the sandbox itself. */
const SANDBOX_PROCESSES = 64;

/** Above the platform's own limits: the group only ends builds that those miss. */
export function groupLimits({ memoryBytes, processes }: BuildLimits): GroupLimits {
  return {
    memoryBytes: memoryBytes + UNSEEN_BYTES,
    processes: processes + SANDBOX_PROCESSES,
  };
}
