/** @module A naive limiter for comparison in tests, which stores the time of every request. */

export class ExactLog {
  readonly #times: number[] = [];

  add(time: number): void {
    this.#times.push(time);
  }

  /**
   * Returns the number of requests that were allowed in the `milliseconds` up to and including
   * `now`.
   */
  within(milliseconds: number, now: number): number {
    return this.#times.filter((time) => time > now - milliseconds && time <= now).length;
  }

  /** Returns the largest number of requests that were allowed in any interval of `milliseconds`. */
  most(milliseconds: number): number {
    return Math.max(0, ...this.#times.map((time) => this.within(milliseconds, time)));
  }
}
