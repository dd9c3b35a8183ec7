/** @module Checks many deadlines with one timer. Moving a deadline only sets a number. */

/** Minimum and maximum time between two checks, in milliseconds. */
const [MIN_TICK_MS, MAX_TICK_MS] = [5, 500];

/** The clock of deadlines, and the timer that checks them. */
export interface Timers {
  /** Returns the time on a monotonic clock, in milliseconds. */
  now(): number;
  /**
   * Calls `run` once, after the given number of milliseconds. Returns a function that cancels the
   * call.
   */
  start(run: () => void, milliseconds: number): () => void;
}

/** The runtime's timers, which do not keep a process alive. */
const SYSTEM_TIMERS: Timers = {
  now: () => performance.now(),
  start(run, milliseconds) {
    const timer = setTimeout(run, milliseconds);
    Deno.unrefTimer(Number(timer));
    return () => clearTimeout(timer);
  },
};

/** A deadline, which is initially unset. */
export class Deadline {
  /** The time when the deadline passes, on the clock of its `Deadlines`. */
  at = Infinity;

  /** `passed` is called once the deadline has passed. */
  constructor(readonly passed: () => void) {}
}

export class Deadlines {
  readonly #watched = new Set<Deadline>();
  readonly #tickMs: number;
  #cancel: (() => void) | undefined;

  readonly #timers: Timers;

  /**
   * Supports delays of `shortestMs` and more. A deadline fires at most an eighth of `shortestMs`
   * late, or 5 ms if that is more, and never more than half a second late.
   */
  constructor(shortestMs: number, timers: Timers = SYSTEM_TIMERS) {
    this.#timers = timers;
    this.#tickMs = Math.max(MIN_TICK_MS, Math.min(MAX_TICK_MS, shortestMs / 8));
  }

  /** Moves a deadline to a number of milliseconds from now. `Infinity` unsets the deadline. */
  set(deadline: Deadline, milliseconds: number): void {
    if (milliseconds === Infinity) {
      deadline.at = Infinity;
      return;
    }
    deadline.at = this.#timers.now() + milliseconds;
    this.#watched.add(deadline);
    if (this.#cancel === undefined) this.#arm();
  }

  /** Stops watching all deadlines. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#watched.clear();
  }

  #arm(): void {
    this.#cancel = this.#timers.start(() => this.#look(), this.#tickMs);
  }

  #look(): void {
    this.#cancel = undefined;
    const now = this.#timers.now();
    for (const deadline of [...this.#watched]) {
      if (deadline.at > now && deadline.at !== Infinity) continue;
      this.#watched.delete(deadline);
      if (deadline.at !== Infinity) deadline.passed();
    }
    if (this.#watched.size > 0 && this.#cancel === undefined) this.#arm();
  }
}
