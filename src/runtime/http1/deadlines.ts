/**
 * Many deadlines with one timer: moving a deadline costs no more than setting a
 * number.
 *
 * @module
 */

/** Shortest and longest time between two checks, in milliseconds. */
const [MIN_TICK_MS, MAX_TICK_MS] = [5, 500];

/** A time by which something must have happened; not set at first. */
export class Deadline {
  /** On the clock of its `Deadlines`. */
  at = Infinity;

  /** `passed` is called once the time is over. */
  constructor(readonly passed: () => void) {}
}

export class Deadlines {
  readonly #watched = new Set<Deadline>();
  readonly #tickMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * For delays of at least `shortestMs`; each deadline is noticed late by at most an
   * eighth of that, and by no more than half a second.
   */
  constructor(shortestMs: number, private readonly now: () => number) {
    this.#tickMs = Math.max(MIN_TICK_MS, Math.min(MAX_TICK_MS, shortestMs / 8));
  }

  /** Moves a deadline to a number of milliseconds from now; `Infinity` unsets it. */
  set(deadline: Deadline, milliseconds: number): void {
    if (milliseconds === Infinity) {
      deadline.at = Infinity;
      return;
    }
    deadline.at = this.now() + milliseconds;
    this.#watched.add(deadline);
    if (this.#timer === undefined) this.#arm();
  }

  /** Stops watching all deadlines. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watched.clear();
  }

  #arm(): void {
    this.#timer = setTimeout(() => this.#look(), this.#tickMs);
    Deno.unrefTimer(Number(this.#timer));
  }

  #look(): void {
    this.#timer = undefined;
    const now = this.now();
    for (const deadline of [...this.#watched]) {
      if (deadline.at > now && deadline.at !== Infinity) continue;
      this.#watched.delete(deadline);
      if (deadline.at !== Infinity) deadline.passed();
    }
    if (this.#watched.size > 0 && this.#timer === undefined) this.#arm();
  }
}
