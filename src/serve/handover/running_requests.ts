/**
 * How many requests wait for their response.
 *
 * @module
 */
export class RunningRequests {
  #count = 0;
  #idle: PromiseWithResolvers<void> | undefined;

  /** A request begins; {@link leave} must follow. */
  enter(): void {
    this.#count++;
  }

  leave(): void {
    if (--this.#count === 0) this.#idle?.resolve();
  }

  /** Resolves as soon as none runs. */
  async idle(): Promise<void> {
    while (this.#count > 0) {
      this.#idle = Promise.withResolvers();
      await this.#idle.promise;
    }
  }
}
