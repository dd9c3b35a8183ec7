/**
 * The signal by which a connection is cut off, for the runtime to listen to. An
 * `AbortSignal` would not do: the runtime's listener throws where the connection
 * has begun to end, and what a listener throws ends the process.
 *
 * @module
 */

export class CutSignal {
  readonly #listeners: (() => void)[] = [];

  /** What the runtime calls; the only event is "abort". */
  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Cuts off what listens and has not ended yet. */
  cut(): void {
    for (const listener of this.#listeners.splice(0)) {
      try {
        listener();
      } catch { /* it is ending already */ }
    }
  }
}
