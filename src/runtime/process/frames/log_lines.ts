/**
 * Lines that foreign code writes to the log of its deployment: their level, their
 * length, and how many there may be.
 *
 * @module
 */

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Longest message of a log entry, in characters. */
export const MAX_LOG_CHARACTERS = 4096;

export interface LineDecision {
  /** True if the line may pass. */
  readonly passes: boolean;
  /** Lines dropped in an earlier second and not reported yet; reported once. */
  readonly dropped: number;
}

/** Lets a number of lines pass in each second of a clock, and counts the others. */
export class LineLimit {
  #second = 0;
  #count = 0;

  readonly #perSecond: number;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Judges a line that comes at a time, in milliseconds. */
  take(time: number): LineDecision {
    const second = Math.floor(time / 1000);
    let dropped = 0;
    if (second !== this.#second) {
      dropped = Math.max(0, this.#count - this.#perSecond);
      this.#second = second;
      this.#count = 0;
    }
    return { passes: ++this.#count <= this.#perSecond, dropped };
  }
}
