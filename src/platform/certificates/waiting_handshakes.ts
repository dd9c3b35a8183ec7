/**
 * Handshakes that are waiting for the first certificate for their name.
 *
 * @module
 */

/** Maximum number of waiting names. */
const MAX_NAMES = 1000;

/**
 * Maximum time that a handshake waits, in milliseconds. The runtime chooses certificates for one
 * name at a time, so handshakes for other new names have to wait too.
 */
const WAIT_MS = 10_000;

export class WaitingHandshakes {
  readonly #names = new Map<string, PromiseWithResolvers<void>>();

  /**
   * Resolves when a decision about the name's certificate has been made, or after ten seconds.
   * Calls `first` if no other handshake is waiting for the name. Returns immediately if too many
   * names are waiting.
   */
  async wait(hostname: string, first: () => void): Promise<void> {
    let waiting = this.#names.get(hostname);
    if (waiting === undefined) {
      if (this.#names.size === MAX_NAMES) return;
      waiting = Promise.withResolvers<void>();
      this.#names.set(hostname, waiting);
      first();
    }
    const timer = setTimeout(() => this.settle(hostname), WAIT_MS);
    await waiting.promise;
    clearTimeout(timer);
  }

  /** Continues the handshakes that are waiting for a name. */
  settle(hostname: string): void {
    this.#names.get(hostname)?.resolve();
    this.#names.delete(hostname);
  }

  /** Continues all handshakes. */
  close(): void {
    for (const hostname of [...this.#names.keys()]) this.settle(hostname);
  }
}
