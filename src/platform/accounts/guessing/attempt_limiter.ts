/**
 * Slows down guessing. Some attempts are free; after that, each attempt doubles the wait for the
 * next. An attempt is counted when it begins, so parallel attempts gain nothing. A successful
 * attempt no longer counts.
 *
 * @module
 */
import type { Clock } from "../../../lib/clock.ts";

export interface AttemptLimits {
  /** Number of attempts before the first pause. */
  readonly free: number;
  /** The first pause, in milliseconds. Each subsequent pause is twice as long. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

interface Attempts {
  count: number;
  blockedUntil: number;
  lastAt: number;
}

/** Idle time after which a subject is forgotten, in milliseconds. */
const FORGET_MS = 60 * 60 * 1000;

/**
 * Maximum number of subjects. If there are more, the subject that has been idle longest is dropped.
 * To cause this, an attacker would need the same number of slow attempts.
 */
const MAX_SUBJECTS = 20_000;

export class AttemptLimiter {
  readonly #subjects = new Map<string, Attempts>();

  readonly #limits: AttemptLimits;
  readonly #now: Clock;

  constructor(limits: AttemptLimits, now: Clock) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Counts an attempt on a subject. Returns 0, or the number of seconds to wait. */
  take(subject: string): number {
    const now = this.#now();
    const known = this.#subjects.get(subject);
    const attempts = known !== undefined && now - known.lastAt < FORGET_MS
      ? known
      : { count: 0, blockedUntil: 0, lastAt: now };
    if (now < attempts.blockedUntil) return Math.ceil((attempts.blockedUntil - now) / 1000);
    attempts.count++;
    attempts.lastAt = now;
    attempts.blockedUntil = now + this.#pause(attempts.count);
    this.#subjects.delete(subject);
    if (this.#subjects.size >= MAX_SUBJECTS) {
      this.#subjects.delete(this.#subjects.keys().next().value!);
    }
    this.#subjects.set(subject, attempts);
    return 0;
  }

  count(subject: string): number {
    return this.#subjects.get(subject)?.count ?? 0;
  }

  refund(subject: string): void {
    const attempts = this.#subjects.get(subject);
    if (attempts === undefined) return;
    attempts.count--;
    attempts.blockedUntil = 0;
    if (attempts.count <= 0) this.#subjects.delete(subject);
  }

  clear(subject: string): void {
    this.#subjects.delete(subject);
  }

  #pause(count: number): number {
    const { free, firstPauseMs, longestPauseMs } = this.#limits;
    if (count < free) return 0;
    return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(30, count - free));
  }
}
