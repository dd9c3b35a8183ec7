/** @module Reads a process's memory usage. */

const PAGE_BYTES = 4096;

/**
 * Returns a process's resident memory in bytes (proc(5), `statm`), or `undefined` if the system
 * does not report it.
 */
export function residentBytes(pid: number): number | undefined {
  try {
    const pages = Deno.readTextFileSync(`/proc/${pid}/statm`).split(" ")[1];
    return pages === undefined ? undefined : Number(pages) * PAGE_BYTES;
  } catch {
    return undefined;
  }
}
