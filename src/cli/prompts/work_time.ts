/** @module Measures how long a command has worked, without the time spent waiting for the user. */
import type { Clock } from "../../lib/clock.ts";
import type { Prompter } from "./prompter.ts";

interface WorkTime {
  /** Returns the number of milliseconds that the command has worked since it started. */
  elapsed(): number;
  /** Wraps a prompter to exclude the time until the user answers. */
  watch(prompter: Prompter): Prompter;
}

export function startWorkTime(now: Clock): WorkTime {
  const startedAt = now();
  let waited = 0;
  async function measured<T>(ask: () => Promise<T>): Promise<T> {
    const askedAt = now();
    try {
      return await ask();
    } finally {
      waited += now() - askedAt;
    }
  }
  return {
    elapsed: () => now() - startedAt - waited,
    watch: (prompter) => ({
      text: (question) => measured(() => prompter.text(question)),
      value: (question) => measured(() => prompter.value(question)),
      confirm: (question) => measured(() => prompter.confirm(question)),
      select: (question) => measured(() => prompter.select(question)),
    }),
  };
}
