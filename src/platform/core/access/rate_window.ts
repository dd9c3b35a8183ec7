/**
 * Limits the number of requests per subject in a sliding time window. The count is exact: a request
 * counts until it is older than the window. Counts are in memory, so a restart resets them.
 *
 * @module
 */
import type { Clock } from "../../../lib/clock.ts";

interface RateLimits {
  readonly limit: number;
  readonly windowMs: number;
  /**
   * Step size in milliseconds; 1 by default. To limit memory, requests within one step share the
   * time of the last one. A request may therefore count for up to one step longer than the window,
   * but never for a shorter time.
   */
  readonly stepMs?: number;
}

/** How much of its limit a subject has used, for `RateLimit` and `Retry-After`. */
export interface RateStanding {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Number of seconds until all counted requests have left the window; 0 if none are counted. */
  readonly resetSeconds: number;
  /** Number of seconds until the next request would be accepted; 0 if it would be accepted now. */
  readonly retryAfterSeconds: number;
}

interface Counted {
  readonly step: number;
  lastAt: number;
  count: number;
}

interface Subject {
  /** Oldest first. */
  readonly steps: Counted[];
  total: number;
}

/**
 * Maximum number of subjects. If there are more, the subject that has been idle longest is dropped.
 */
const MAX_SUBJECTS = 20_000;

export class RateWindow {
  readonly #subjects = new Map<string, Subject>();

  readonly #limits: RateLimits;
  readonly #now: Clock;

  constructor(limits: RateLimits, now: Clock) {
    this.#limits = limits;
    this.#now = now;
  }

  /**
   * Counts a request. Returns 0, or the number of seconds to wait if the request exceeds the limit.
   */
  take(name: string): number {
    const now = this.#now();
    const subject = this.#current(name, now) ?? { steps: [], total: 0 };
    if (subject.total >= this.#limits.limit) return this.#waitOf(subject, now);
    const step = Math.floor(now / (this.#limits.stepMs ?? 1));
    const last = subject.steps.at(-1);
    if (last?.step === step) {
      last.count++;
      last.lastAt = now;
    } else subject.steps.push({ step, lastAt: now, count: 1 });
    subject.total++;
    this.#remember(name, subject);
    return 0;
  }

  /** Removes the last request from the count. */
  refund(name: string): void {
    const subject = this.#subjects.get(name);
    const last = subject?.steps.at(-1);
    if (subject === undefined || last === undefined) return;
    subject.total--;
    if (--last.count === 0) subject.steps.pop();
  }

  standing(name: string): RateStanding {
    const now = this.#now();
    const subject = this.#current(name, now);
    const { limit, windowMs } = this.#limits;
    const remaining = limit - (subject?.total ?? 0);
    const last = subject?.steps.at(-1);
    return {
      limit,
      windowSeconds: windowMs / 1000,
      remaining,
      resetSeconds: last === undefined ? 0 : this.#secondsUntilOld(last, now),
      retryAfterSeconds: remaining > 0 || subject === undefined ? 0 : this.#waitOf(subject, now),
    };
  }

  #current(name: string, now: number): Subject | undefined {
    const subject = this.#subjects.get(name);
    if (subject === undefined) return undefined;
    const { steps } = subject;
    let old = 0;
    for (const { lastAt, count } of steps) {
      if (lastAt + this.#limits.windowMs > now) break;
      subject.total -= count;
      old++;
    }
    if (old > 0) steps.splice(0, old);
    return subject;
  }

  #waitOf({ steps: [oldest] }: Subject, now: number): number {
    return oldest === undefined ? 1 : this.#secondsUntilOld(oldest, now);
  }

  #secondsUntilOld({ lastAt }: Counted, now: number): number {
    return Math.max(1, Math.ceil((lastAt + this.#limits.windowMs - now) / 1000));
  }

  #remember(name: string, subject: Subject): void {
    this.#subjects.delete(name);
    if (this.#subjects.size >= MAX_SUBJECTS) {
      this.#subjects.delete(this.#subjects.keys().next().value!);
    }
    this.#subjects.set(name, subject);
  }
}
