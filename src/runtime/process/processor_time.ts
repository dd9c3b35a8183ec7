/** @module The processor time of a process. */

/** Milliseconds of a clock tick on Linux (`sysconf(_SC_CLK_TCK)` is 100 everywhere). */
const TICK_MS = 10;

/**
 * Processor time that a process has used, in milliseconds (proc(5), `stat`); `undefined` if the
 * system does not report it.
 */
export function processorMs(pid: number): number | undefined {
  try {
    // The name of the program, in parentheses, can contain spaces.
    const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(")").at(-1)!.split(" ");
    const [user, system] = [fields[12], fields[13]];
    return (Number(user) + Number(system)) * TICK_MS;
  } catch {
    return undefined;
  }
}
