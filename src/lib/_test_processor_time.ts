/** @module The CPU time of a test, regardless of other load on the machine. */

/** Returns the CPU time of this thread, in milliseconds. `/proc` counts in 10 ms ticks. */
function threadTime(): number {
  try {
    const stat = Deno.readTextFileSync("/proc/thread-self/stat");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    // On systems other than Linux, only the clock is available.
    return performance.now();
  }
}

/** Returns the CPU time that `work` takes on this thread, in milliseconds, and its result. */
export function measureWork<T>(
  work: () => T,
): { readonly result: T; readonly milliseconds: number } {
  const before = threadTime();
  const result = work();
  return { result, milliseconds: threadTime() - before };
}
