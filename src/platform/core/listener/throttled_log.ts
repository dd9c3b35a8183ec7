/**
 * Warnings that an attack could repeat a thousand times a second, a few at a
 * time.
 *
 * @module
 */

/** Between two warnings, in milliseconds. */
const APART_MS = 30_000;

export interface ThrottledLogOptions {
  /** A clock that never jumps, in milliseconds. */
  readonly now: () => number;
  readonly log: (message: string) => void;
}

export class ThrottledLog {
  #silentUntil = -Infinity;
  #unsaid = 0;

  constructor(private readonly options: ThrottledLogOptions) {}

  /** Logs the message, unless one was logged lately; then it is counted. */
  note(message: string): void {
    const { now, log } = this.options;
    if (now() < this.#silentUntil) {
      this.#unsaid++;
      return;
    }
    log(this.#unsaid === 0 ? message : `${message} (${this.#unsaid} more warnings were left out)`);
    this.#unsaid = 0;
    this.#silentUntil = now() + APART_MS;
  }
}
