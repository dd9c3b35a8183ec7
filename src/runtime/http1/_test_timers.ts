/**
 * A clock that stands still until a test moves it, with the timers that hang
 * on it.
 *
 * @module
 */
import type { Timers } from "./deadlines.ts";

export interface TestTimers extends Timers {
  /** Moves the clock on by so many milliseconds, and runs what falls due on the way, in order. */
  pass(milliseconds: number): void;
  /** How many timers wait. */
  waiting(): number;
}

/** Makes timers whose clock begins at 0. */
export function testTimers(): TestTimers {
  let time = 0;
  const timers = new Map<() => void, number>();
  return {
    now: () => time,
    start(run, milliseconds) {
      timers.set(run, time + milliseconds);
      return () => timers.delete(run);
    },
    waiting: () => timers.size,
    pass(milliseconds) {
      const end = time + milliseconds;
      for (;;) {
        const [next] = [...timers].filter(([, at]) => at <= end).sort(([, a], [, b]) => a - b);
        if (next === undefined) break;
        const [run, at] = next;
        time = at;
        timers.delete(run);
        run();
      }
      time = end;
    },
  };
}
