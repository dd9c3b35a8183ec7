/**
 * How many descriptors (files, sockets) the process may have open.
 *
 * @module
 */

/** Finds the soft limit in the text of `/proc/self/limits` (proc(5)). */
export function readDescriptorLimit(limits: string): number | undefined {
  const soft = /^Max open files\s+(\d+)\s/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** The limit of this process; `undefined` where the system does not show it. */
export async function descriptorLimit(): Promise<number | undefined> {
  try {
    return readDescriptorLimit(await Deno.readTextFile("/proc/self/limits"));
  } catch {
    return undefined;
  }
}
