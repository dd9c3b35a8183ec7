/** @module Slows down password guessing. */

/** Number of consecutive wrong passwords before attempts are delayed. */
const FREE_GUESSES = 5;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** Maximum time that an attempt waits for its turn, in milliseconds. */
export const LONGEST_WAIT_MS = 10_000;
/** Time after which wrong passwords are forgotten, in milliseconds. */
const REMEMBERED_MS = 15 * 60_000;
/** Maximum number of remembered addresses and roles. The oldest are forgotten first. */
const MOST_REMEMBERED = 10_000;

interface Guesser {
  failures: number;
  /** When the next attempt is allowed. */
  notBefore: number;
  lastAt: number;
}

/**
 * Counts failures per combination of address and role. So nobody can lock others out of a role.
 */
export class GuessLimiter {
  readonly #guessers = new Map<string, Guesser>();

  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Reserves a turn for an attempt.
   *
   * @returns how long the attempt must wait, in milliseconds, or `undefined` if too many attempts
   * are already waiting
   */
  takeTurn(guesser: string): number | undefined {
    const known = this.#find(guesser);
    if (known === undefined || known.failures < FREE_GUESSES) return 0;
    const now = this.#now();
    const startsAt = Math.max(now, known.notBefore);
    if (startsAt - now > LONGEST_WAIT_MS) return undefined;
    const pause = FIRST_PAUSE_MS * 2 ** Math.min(20, known.failures - FREE_GUESSES);
    known.notBefore = startsAt + Math.min(LONGEST_PAUSE_MS, pause);
    return startsAt - now;
  }

  /** Records a wrong password. */
  failed(guesser: string): void {
    const now = this.#now();
    const known = this.#find(guesser) ?? { failures: 0, notBefore: now, lastAt: now };
    known.failures++;
    known.lastAt = now;
    // Moves the entry to the end of the map, because the most recent failure must be last.
    this.#guessers.delete(guesser);
    this.#guessers.set(guesser, known);
    for (const [oldest] of this.#guessers) {
      if (this.#guessers.size <= MOST_REMEMBERED) break;
      this.#guessers.delete(oldest);
    }
  }

  succeeded(guesser: string): void {
    this.#guessers.delete(guesser);
  }

  #find(guesser: string): Guesser | undefined {
    const known = this.#guessers.get(guesser);
    if (known === undefined || this.#now() - known.lastAt <= REMEMBERED_MS) return known;
    this.#guessers.delete(guesser);
    return undefined;
  }
}
