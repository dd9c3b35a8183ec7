/** @module A clock with timers. Only tests advance this clock. */
import type { Timers } from "./deadlines.ts";

interface TestTimers extends Timers {
  /** Advances the clock by the given number of milliseconds and runs due timers in order. */
  pass(milliseconds: number): void;
  /** Returns the number of waiting timers. */
  waiting(): number;
}

/** Creates timers whose clock starts at 0. */
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
