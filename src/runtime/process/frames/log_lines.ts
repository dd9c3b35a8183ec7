/** @module Limits the length and number of project code's log lines and determines their level. */

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Maximum length of a log entry's message, in characters. */
export const MAX_LOG_CHARACTERS = 4096;

interface LineDecision {
  /** True if the line can be logged. */
  readonly passes: boolean;
  /** Number of lines that were dropped in an earlier second and are not reported yet. */
  readonly dropped: number;
}

/** Accepts a limited number of lines per second and counts the dropped lines. */
export class LineLimit {
  #second = 0;
  #count = 0;

  readonly #perSecond: number;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Decides whether a line is accepted. `time` is in milliseconds. */
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
