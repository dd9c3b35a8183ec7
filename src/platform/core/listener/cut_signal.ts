/**
 * The signal that makes the runtime close a connection immediately. An `AbortSignal` does not work:
 * the runtime's listener throws if the connection has already begun to end, and an exception in a
 * listener crashes the process.
 *
 * @module
 */

export class CutSignal {
  readonly #listeners: (() => void)[] = [];

  /** Called by the runtime. The only event is `abort`. */
  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Calls all listeners, once. */
  cut(): void {
    for (const listener of this.#listeners.splice(0)) {
      try {
        listener();
      } catch { /* it is already ending */ }
    }
  }
}
