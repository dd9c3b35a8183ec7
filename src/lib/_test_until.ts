/** @module Waits for a condition in tests, with a time limit. */

/** Maximum wait in milliseconds. Only a failing test takes that long. */
const PATIENCE_MS = 60_000;

/**
 * Pause between checks. It grows, because checks take CPU time away from the work being waited for.
 */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, GROWTH] = [5, 50, 1.5] as const;

/**
 * Reads a value repeatedly until it is as expected (`true` by default), and returns it. Throws an
 * error with the last value if this takes longer than `patienceMs`.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  wanted: (value: T) => boolean = Boolean,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const end = performance.now() + patienceMs;
  let pauseMs: number = FIRST_PAUSE_MS;
  for (;;) {
    const value = await read();
    if (wanted(value)) return value;
    if (performance.now() > end) {
      throw new Error(`Still ${JSON.stringify(value)} after ${patienceMs} ms: ${read}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * GROWTH, LONGEST_PAUSE_MS);
  }
}
