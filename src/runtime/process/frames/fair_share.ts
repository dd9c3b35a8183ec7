/**
 * A share of the platform's thread: a peer that sends frames without end has to
 * wait, so that others are served meanwhile.
 *
 * @module
 */

/** Milliseconds of time that a millisecond of work costs: a third of the thread, on average. */
const PRICE = 3;

/** How much may be owed before work has to pause, in milliseconds. */
const CREDIT_MS = 20;

export class FairShare {
  #begun = 0;
  /** When everything that was booked has been paid. */
  #paidAt = 0;

  readonly #now: () => number;

  /** Takes a clock that never jumps, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Notes that work begins now; it must be booked before anything is awaited. */
  begin(): void {
    this.#begun = this.#now();
  }

  /** Books the work since `begin` or the last booking; returns the pause that is due, in milliseconds. */
  book(): number {
    const now = this.#now();
    const before = Math.max(this.#paidAt, this.#begun);
    this.#paidAt = before + (now - this.#begun) * PRICE;
    this.#begun = now;
    const owed = this.#paidAt - now;
    return owed > CREDIT_MS ? owed : 0;
  }
}
