/**
 * Limits of guessing, by account and by address. An account's pauses stay
 * short, so that nobody can lock its owner out for long; an address's grow.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import { addressGroup, type Client } from "../http/client.ts";
import { Failure } from "../http/failure.ts";
import { AttemptLimiter } from "./attempt_limiter.ts";

/** What is guessed; each kind is counted for itself. */
export type Guessed = "password" | "second factor" | "link" | "user code";

/** Failed guesses at one account that are reported as suspicious. */
export const SUSPICIOUS_GUESSES = 10;

export interface Guess {
  /** To be called when it was right. */
  succeed(): void;
  /** Guesses at the same subject so far, this one included. */
  readonly count: number;
}

export class GuessLimits {
  private readonly accounts: AttemptLimiter;
  private readonly addresses: AttemptLimiter;

  constructor(now: Clock) {
    this.accounts = new AttemptLimiter(
      { free: 5, firstPauseMs: 5000, longestPauseMs: 60_000 },
      now,
    );
    this.addresses = new AttemptLimiter(
      { free: 20, firstPauseMs: 5000, longestPauseMs: 15 * 60_000 },
      now,
    );
  }

  /**
   * Counts a guess at a subject (an account, known or not).
   *
   * @throws {Failure} `rate_limited` where it comes too soon.
   */
  begin(kind: Guessed, client: Client, subject?: string): Guess {
    const address = `${kind} ${addressGroup(client.address)}`;
    const account = subject === undefined ? undefined : `${kind} ${subject}`;
    refuseFor(this.addresses.take(address));
    if (account !== undefined) {
      const wait = this.accounts.take(account);
      if (wait > 0) this.addresses.refund(address);
      refuseFor(wait);
    }
    return {
      count: account === undefined ? this.addresses.count(address) : this.accounts.count(account),
      succeed: () => {
        this.addresses.refund(address);
        if (account !== undefined) this.accounts.clear(account);
      },
    };
  }
}

function refuseFor(seconds: number): void {
  if (seconds === 0) return;
  throw new Failure("rate_limited", `Too many attempts. Try again in ${seconds} seconds`, {
    retryAfter: seconds,
  });
}
