/** Limits the rate of warnings that an attack could trigger a thousand times per second. @module */

import { formatCount } from "../../../lib/format.ts";

const APART_MS = 30_000;

interface ThrottledLogOptions {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly log: (message: string) => void;
}

export class ThrottledLog {
  #silentUntil = -Infinity;
  #unsaid = 0;

  readonly #options: ThrottledLogOptions;

  constructor(options: ThrottledLogOptions) {
    this.#options = options;
  }

  /** Logs the message, or counts it if another one was logged recently. */
  note(message: string): void {
    const { now, log } = this.#options;
    if (now() < this.#silentUntil) {
      this.#unsaid++;
      return;
    }
    const similar = formatCount(this.#unsaid, "similar warning");
    log(this.#unsaid === 0 ? message : `${message} (${similar} suppressed)`);
    this.#unsaid = 0;
    this.#silentUntil = now() + APART_MS;
  }
}
