/** @module Slows down a peer that sends frames endlessly, so that other peers get a turn. */

/**
 * Cost of a millisecond of work, in milliseconds. With this cost, a peer gets a third of the
 * thread's time on average.
 */
const PRICE = 3;

/** Maximum debt before work must pause, in milliseconds. */
const CREDIT_MS = 20;

export class FairShare {
  #begun = 0;
  /** Time at which all recorded work will be paid off. */
  #paidAt = 0;

  readonly #now: () => number;

  /** Uses a monotonic clock, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Records the start of work. The end of the work must be recorded before anything is awaited. */
  begin(): void {
    this.#begun = this.#now();
  }

  /**
   * Counts the work since `begin()` or the last call of this method, and returns the pause to take,
   * in milliseconds.
   */
  book(): number {
    const now = this.#now();
    const before = Math.max(this.#paidAt, this.#begun);
    this.#paidAt = before + (now - this.#begun) * PRICE;
    this.#begun = now;
    const owed = this.#paidAt - now;
    return owed > CREDIT_MS ? owed : 0;
  }
}
