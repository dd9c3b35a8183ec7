/**
 * How many descriptors (files, sockets) a process may have open.
 *
 * @module
 */

/** Finds the soft limit in the text of `/proc/self/limits` (proc(5)); `Infinity` for none. */
export function parseDescriptorLimit(limits: string): number | undefined {
  const soft = /^Max open files\s+(\d+|unlimited)\s/m.exec(limits)?.[1];
  if (soft === undefined) return undefined;
  return soft === "unlimited" ? Infinity : Number(soft);
}

/** The limit of this process; `undefined` where the system does not show it. */
export function descriptorLimit(): number | undefined {
  try {
    return parseDescriptorLimit(Deno.readTextFileSync("/proc/self/limits"));
  } catch {
    return undefined;
  }
}
