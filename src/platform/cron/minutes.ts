/** The minutes in which scheduled tasks are started. @module */
import type { Clock } from "../../lib/clock.ts";
import { MINUTE_MS } from "./due_tasks.ts";

export interface Minutes {
  readonly now: Clock;
  /** Calls `act` at the start of each minute until the returned function is called. */
  each(act: () => void): () => void;
}

/** Returns the minutes of a clock that runs at the speed of the machine's timers. */
export function minutesOf(now: Clock): Minutes {
  return {
    now,
    each(act) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const wait = (): void => {
        timer = setTimeout(() => {
          act();
          wait();
        }, MINUTE_MS - (now() % MINUTE_MS));
      };
      wait();
      return () => clearTimeout(timer);
    },
  };
}
