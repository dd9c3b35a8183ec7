/**
 * @module Waits for writers in other processes. The pauses grow, and vary randomly to keep two
 * writers from colliding again. Attempts stop after a time limit.
 */

/** Maximum time that a change waits for writers in other processes, in milliseconds. */
export const CONTENTION_LIMIT_MS = 10_000;

/** The longest pause between two attempts, in milliseconds. */
const MAX_PAUSE_MS = 50;

interface ContentionOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Returns a random number from 0 to 1. */
  readonly random?: () => number;
  readonly pause?: (milliseconds: number) => Promise<void>;
}

/** The attempts of one change. */
export class Contention {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #pause: (milliseconds: number) => Promise<void>;
  readonly #end: number;
  #lost = 0;

  constructor({ now, random, pause }: ContentionOptions = {}) {
    this.#now = now ?? (() => performance.now());
    this.#random = random ?? Math.random;
    this.#pause = pause ??
      ((milliseconds) => new Promise((done) => setTimeout(done, milliseconds)));
    this.#end = this.#now() + CONTENTION_LIMIT_MS;
  }

  /** Waits before the next attempt. Returns `false` immediately if the time is up. */
  async wait(): Promise<boolean> {
    if (this.#now() >= this.#end) return false;
    const longest = Math.min(2 ** ++this.#lost, MAX_PAUSE_MS);
    await this.#pause(longest * (1 + this.#random()) / 2);
    return true;
  }
}

/**
 * Returns true for the error that Deno KV throws while another process writes. When it is thrown,
 * nothing has been stored.
 */
const isLocked = (error: unknown): boolean =>
  error instanceof TypeError && error.message.includes("database is locked");

/**
 * Runs `work` with a local Deno KV database, and retries while another process has locked it.
 *
 * @throws any other error from `work`, immediately, or the lock's error after
 * `CONTENTION_LIMIT_MS`.
 */
export async function whenUnlocked<T>(
  work: () => Promise<T>,
  options?: ContentionOptions,
): Promise<T> {
  const contention = new Contention(options);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isLocked(error) || !await contention.wait()) throw error;
    }
  }
}
