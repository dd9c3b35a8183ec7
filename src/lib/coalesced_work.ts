/** @module Runs requested work, with at most one run at a time. */

/** Requests during a run cause one more run. */
export class CoalescedWork {
  readonly #run: () => Promise<void>;
  #isRequested = false;
  #running: Promise<void> | undefined;

  /**
   * If `run` fails, all waiting callers get its error. If no caller waits, `run` must handle its
   * own errors.
   */
  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  /** Resolves after a run that started after this call. */
  request(): Promise<void> {
    this.#isRequested = true;
    return this.#running ??= this.#runAll();
  }

  /** Requests a run without waiting for it. */
  start(): void {
    this.request().catch(() => {});
  }

  /** Resolves when nothing is running. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    // Requests in the same turn of the event loop share a run.
    await Promise.resolve();
    try {
      while (this.#isRequested) {
        this.#isRequested = false;
        await this.#run();
      }
    } finally {
      // This must not happen in a later microtask, because a request in between would be lost.
      this.#running = undefined;
    }
  }
}
