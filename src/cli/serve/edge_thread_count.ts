/**
 * How many edge threads there are where no flag says so.
 *
 * @module
 */

/** Memory for each thread: it takes 20 MB when it is idle, and 100 and more under load. */
const MEMORY_EACH = 512 * 1024 * 1024;

const MOST = 256;

/**
 * One for each processor, as far as there is memory; 1 where the system does not
 * spread connections over sockets that share a port.
 */
export function usualEdgeThreads(
  { system, processors, memoryBytes }: {
    readonly system: typeof Deno.build.os;
    /** Those that the process may use. */
    readonly processors: number;
    readonly memoryBytes: number;
  },
): number {
  if (system !== "linux") return 1;
  return Math.max(1, Math.min(processors, Math.floor(memoryBytes / MEMORY_EACH), MOST));
}
