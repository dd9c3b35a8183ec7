/** @module The memory usage of a process. */

const PAGE_BYTES = 4096;

/**
 * Resident memory of a process in bytes (proc(5), `statm`); `undefined` if the system does not show
 * it.
 */
export function residentBytes(pid: number): number | undefined {
  try {
    const pages = Deno.readTextFileSync(`/proc/${pid}/statm`).split(" ")[1];
    return pages === undefined ? undefined : Number(pages) * PAGE_BYTES;
  } catch {
    return undefined;
  }
}
