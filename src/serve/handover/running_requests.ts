/** Counts requests that are waiting for a response. @module */
export class RunningRequests {
  #count = 0;
  #idle: PromiseWithResolvers<void> | undefined;

  /** Must be called when a request starts. {@link leave} must be called when it has finished. */
  enter(): void {
    this.#count++;
  }

  leave(): void {
    if (--this.#count === 0) this.#idle?.resolve();
  }

  /** Resolves when no requests are running. */
  async idle(): Promise<void> {
    while (this.#count > 0) {
      this.#idle = Promise.withResolvers();
      await this.#idle.promise;
    }
  }
}
