/**
 * A share of the platform's thread: who sends frame after frame, without end
 * or meaning, has to wait, so that others are served meanwhile.
 *
 * @module
 */

/** A millisecond of work is paid with so many: a third of the thread, on average. */
const PRICE = 3;

/** What may be owed before work has to pause, in milliseconds. */
const CREDIT_MS = 20;

export class FairShare {
  #begun = 0;
  /** When all that was booked will have been paid. */
  #paidAt = 0;

  /** With a clock that never jumps, in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Work begins now, and is booked before anything is awaited. */
  begin(): void {
    this.#begun = this.now();
  }

  /** Books the work since `begin` or the last booking; returns the pause that is due, in milliseconds. */
  book(): number {
    const now = this.now();
    const before = Math.max(this.#paidAt, this.#begun);
    this.#paidAt = before + (now - this.#begun) * PRICE;
    this.#begun = now;
    const owed = this.#paidAt - now;
    return owed > CREDIT_MS ? owed : 0;
  }
}
