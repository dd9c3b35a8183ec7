/**
 * @module A monotonic clock and its timers. They are passed as a parameter, so tests can control
 * time.
 */

export interface Timers {
  /** Returns the time of a clock that never jumps, in milliseconds. */
  readonly now: () => number;
  /** Calls `act` after a number of milliseconds. The returned function cancels the call. */
  readonly after: (milliseconds: number, act: () => void) => () => void;
}

export const SYSTEM_TIMERS: Timers = {
  now: () => performance.now(),
  after: (milliseconds, act) => {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
};

/**
 * Returns a promise's value if the promise settles within a number of milliseconds, and otherwise
 * `undefined`.
 */
export async function within<T>(
  promise: Promise<T>,
  milliseconds: number,
): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  const first = await Promise.race([promise, late]);
  clearTimeout(timer);
  return first;
}
