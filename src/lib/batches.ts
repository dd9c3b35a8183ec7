/** @module A queue that is read in batches. Writers never wait. */

/** Thrown if more items are waiting for the reader than the queue allows. */
export class TooFarBehindError extends Error {
  override readonly name = "TooFarBehindError";
}

export class Batches<T> implements AsyncIterable<T[]> {
  #waiting: T[] = [];
  #hasEnded = false;
  #wake = () => {};

  readonly #max;

  /** @param max Maximum number of waiting items. If there are more, the reader gets an error. */
  constructor(max = Infinity) {
    this.#max = max;
  }

  push(...items: readonly T[]): void {
    if (this.#waiting.length <= this.#max) this.#waiting.push(...items);
    this.#wake();
  }

  /** Ends the reader's iteration after the items that are still waiting. */
  readonly end = (): void => {
    this.#hasEnded = true;
    this.#wake();
  };

  /** @throws {TooFarBehindError} */
  async *[Symbol.asyncIterator](): AsyncGenerator<T[]> {
    for (;;) {
      if (this.#waiting.length > this.#max) {
        throw new TooFarBehindError(`More than ${this.#max} items are waiting for a reader`);
      }
      if (this.#waiting.length > 0) {
        const items = this.#waiting;
        this.#waiting = [];
        yield items;
      } else if (this.#hasEnded) return;
      else await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
