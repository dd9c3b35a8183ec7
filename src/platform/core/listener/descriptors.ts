/**
 * How many descriptors (files, sockets) the process may have open, and whether
 * they run short.
 *
 * @module
 */
import { readTextFile } from "../../../lib/utf8.ts";
import { openLibc } from "./libc.ts";

const STDERR = 2;
const F_DUPFD_CLOEXEC = 1030;

/** Finds the soft limit in the text of `/proc/self/limits` (proc(5)). */
export function readDescriptorLimit(limits: string): number | undefined {
  const soft = /^Max open files\s+(\d+)\s/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** The limit of this process; `undefined` where the system does not show it. */
export async function descriptorLimit(): Promise<number | undefined> {
  try {
    return readDescriptorLimit(await readTextFile("/proc/self/limits"));
  } catch {
    return undefined;
  }
}

/**
 * The number that the next descriptor gets: the lowest that is free, so that at
 * least as many are open. `Infinity` where none is free, and 0 where the system
 * is not Linux with glibc.
 */
export function nextDescriptor(): number {
  const libc = openLibc();
  if (libc === undefined) return 0;
  const next = libc.fcntl(STDERR, F_DUPFD_CLOEXEC, 0);
  if (next < 0) return Infinity;
  libc.close(next);
  return next;
}
