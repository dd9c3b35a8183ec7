/** @module A clock that tests advance manually. */
import { setImmediate } from "node:timers";
import type { Timers } from "./timers.ts";

interface Pending {
  readonly at: number;
  readonly act: () => void;
}

export class FakeTimers implements Timers {
  #now = 0;
  readonly #pending = new Set<Pending>();

  readonly now = (): number => this.#now;

  readonly after = (milliseconds: number, act: () => void): () => void => {
    const pending = { at: this.#now + milliseconds, act };
    this.#pending.add(pending);
    return () => this.#pending.delete(pending);
  };

  /** Advances the clock. Due timers fire in order, between turns of the event loop. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await nextTurns();
    for (let next = this.#due(end); next !== undefined; next = this.#due(end)) {
      this.#pending.delete(next);
      this.#now = next.at;
      next.act();
      await nextTurns();
    }
    this.#now = end;
  }

  #due(end: number): Pending | undefined {
    return [...this.#pending].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}

/** Runs everything that is ready: promises and received input. */
export async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
