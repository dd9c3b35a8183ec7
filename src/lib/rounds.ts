/** @module Repeats work while a program runs, one round at a time. */

interface RoundsOptions {
  /** Time until the first round, in milliseconds. */
  readonly firstMs: number;
  /**
   * Time from the start of one round to the start of the next, in milliseconds. If a round takes
   * longer, the next one is skipped.
   */
  readonly everyMs: number;
  run(signal: AbortSignal): Promise<void>;
  onError(error: unknown): void;
}

export interface Rounds {
  /** Aborts the signal of the current round, and waits until the round has finished. */
  close(): Promise<void>;
}

export function startRounds({ firstMs, everyMs, run, onError }: RoundsOptions): Rounds {
  const closing = new AbortController();
  let round: Promise<void> | undefined;
  const next = () => {
    round ??= run(closing.signal).catch(onError).finally(() => round = undefined);
  };
  let interval: ReturnType<typeof setInterval> | undefined;
  const first = setTimeout(() => {
    next();
    interval = setInterval(next, everyMs);
  }, firstMs);
  return {
    async close() {
      clearTimeout(first);
      clearInterval(interval);
      closing.abort();
      await round;
    },
  };
}
