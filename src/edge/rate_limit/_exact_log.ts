/**
 * The naive limiter that the tests compare with: it remembers the time of every
 * request that was let through.
 *
 * @module
 */

export class ExactLog {
  readonly #times: number[] = [];

  add(time: number): void {
    this.#times.push(time);
  }

  /** Requests let through in the `milliseconds` up to and including `now`. */
  within(milliseconds: number, now: number): number {
    return this.#times.filter((time) => time > now - milliseconds && time <= now).length;
  }

  /** The most that was let through in any stretch of that length. */
  most(milliseconds: number): number {
    return Math.max(0, ...this.#times.map((time) => this.within(milliseconds, time)));
  }
}
