/** @module Reads a process's CPU time. */

/** Milliseconds per clock tick on Linux (`sysconf(_SC_CLK_TCK)` is always 100). */
const TICK_MS = 10;

/**
 * Returns the CPU time that a process has used, in milliseconds (proc(5), `stat`), or `undefined`
 * if the system does not report it.
 */
export function processorMs(pid: number): number | undefined {
  try {
    // The program's name is in parentheses and can contain spaces.
    const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(")").at(-1)!.split(" ");
    const [user, system] = [fields[12], fields[13]];
    return (Number(user) + Number(system)) * TICK_MS;
  } catch {
    return undefined;
  }
}
