/** @module Shares one run of a piece of work among all concurrent callers. */

/** Runs asynchronous work at most once at a time for each key. */
export class SingleFlight<Value> {
  readonly #running = new Map<string, Promise<Value>>();

  /**
   * Starts `work`, or joins the work that is already running for `key`. If the work rejects, all
   * callers get its error. Results are not cached.
   */
  run(key: string, work: () => Promise<Value>): Promise<Value> {
    let running = this.#running.get(key);
    if (running === undefined) {
      running = work().finally(() => this.#running.delete(key));
      this.#running.set(key, running);
    }
    return running;
  }
}
