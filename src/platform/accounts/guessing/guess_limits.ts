/**
 * Limits guesses by account and IP address together, so guesses from elsewhere do not lock out the
 * owner. Also limits guesses by IP address across all accounts, and by account across all IP
 * addresses. A browser that has signed in before has its own count. Nodes share the results of
 * guesses, so each node counts the guesses on all nodes.
 *
 * @module
 */
import * as z from "zod";
import type { Clock } from "../../../lib/clock.ts";
import { formatCount } from "../../../lib/format.ts";
import { addressGroup, type Client, Failure } from "../../core/http/mod.ts";
import { AttemptLimiter, type AttemptLimits } from "./attempt_limiter.ts";
import type { DeviceCookies } from "./device_cookie.ts";

/** The kind of guess. Each kind has its own count. */
type Guessed = "password" | "second factor" | "link" | "user code" | "preview password";

export interface GuessedAccount {
  /** The key for the guess's count: an ID or an email address, whether known or not. */
  readonly subject: string;
  /** The account's user; missing if the account does not exist. */
  readonly userId: string | undefined;
}

/** Number of failed guesses for one account that count as suspicious. */
export const SUSPICIOUS_GUESSES = 10;
/** Minimum time between notifications to an account's owner, in milliseconds. */
const REPORT_MS = 24 * 60 * 60 * 1000;
/**
 * Maximum number of accounts whose report is cached. If there are more, all reports are dropped.
 */
const MAX_REPORTED = 10_000;

const QUARTER_MS = 15 * 60_000;

/** Limits for guesses from one network for one account. */
const PAIR: AttemptLimits = { free: 5, firstPauseMs: 5000, longestPauseMs: QUARTER_MS };
/** Limits for guesses from a browser that has signed in before, for its account. */
const DEVICE: AttemptLimits = { free: 10, firstPauseMs: 5000, longestPauseMs: QUARTER_MS };
/** Limits for guesses from one network for all accounts. */
const ADDRESS: AttemptLimits = { free: 20, firstPauseMs: 5000, longestPauseMs: QUARTER_MS };
/**
 * Limits for guesses from all networks for one account. No single network can reach these limits.
 */
const ACCOUNT: AttemptLimits = { free: 30, firstPauseMs: 5000, longestPauseMs: 60_000 };

interface Guess {
  /** Call this if the guess was right. */
  succeed(): void;
  /** Call this if the guess was wrong. Returns whether to notify the owner (at most once a day). */
  fail(): boolean;
}

const counted = z.object({
  limit: z.enum(["pair", "browser", "address", "account"]),
  key: z.string(),
});
type Counted = z.infer<typeof counted>;

/** The outcome of a guess on another node, and the limits toward which the guess counts. */
export const endedGuess = z.object({ wasRight: z.boolean(), counts: z.array(counted).max(3) });
type EndedGuess = z.infer<typeof endedGuess>;

export class GuessLimits {
  readonly #limiters: Readonly<Record<Counted["limit"], AttemptLimiter>>;
  readonly #reported = new Map<string, number>();

  readonly #devices: Pick<DeviceCookies, "find">;
  readonly #now: Clock;
  readonly #tellOthers: (ended: EndedGuess) => void;

  /** @param tellOthers called to report the outcome of a guess to other nodes. */
  constructor(
    devices: Pick<DeviceCookies, "find">,
    now: Clock,
    tellOthers: (ended: EndedGuess) => void = () => {},
  ) {
    this.#devices = devices;
    this.#now = now;
    this.#tellOthers = tellOthers;
    this.#limiters = {
      pair: new AttemptLimiter(PAIR, now),
      browser: new AttemptLimiter(DEVICE, now),
      address: new AttemptLimiter(ADDRESS, now),
      account: new AttemptLimiter(ACCOUNT, now),
    };
  }

  /** Counts a guess on another node. */
  hear({ wasRight, counts }: EndedGuess): void {
    if (wasRight) this.#forgive(counts);
    else for (const { limit, key } of counts) this.#limiters[limit].take(key);
  }

  /** Counts a guess before its outcome is known. @throws {Failure} `rate_limited` */
  async begin(kind: Guessed, client: Client, account?: GuessedAccount): Promise<Guess> {
    const device = account?.userId === undefined
      ? undefined
      : await this.#devices.find(client.cookie, account.userId);
    const counts = this.#counts(kind, { client, account, device });
    this.#takeAll(counts);
    return {
      succeed: () => {
        for (const { limit, key } of counts) this.#limiters[limit].refund(key);
        if (account === undefined) return;
        this.#forgive(counts);
        this.#tellOthers({ wasRight: true, counts: [...counts] });
      },
      fail: () => {
        this.#tellOthers({ wasRight: false, counts: [...counts] });
        if (account === undefined) return false;
        const ofAccount = counts.filter(({ limit }) => limit !== "address");
        const failed = Math.max(
          ...ofAccount.map(({ limit, key }) => this.#limiters[limit].count(key)),
        );
        return failed >= SUSPICIOUS_GUESSES && this.#isTimeToTell(`${kind} ${account.subject}`);
      },
    };
  }

  #counts(kind: Guessed, { client, account, device }: {
    readonly client: Client;
    readonly account: GuessedAccount | undefined;
    readonly device: string | undefined;
  }): readonly Counted[] {
    const group = addressGroup(client.address);
    const address = { limit: "address", key: `${kind} ${group}` } as const;
    if (account === undefined) return [address];
    if (device !== undefined) return [{ limit: "browser", key: `${kind} ${device}` }];
    return [
      { limit: "pair", key: `${kind} ${group} ${account.subject}` },
      address,
      { limit: "account", key: `${kind} ${account.subject}` },
    ];
  }

  /** Forgives earlier wrong guesses from this network or browser, because the owner uses it. */
  #forgive([first]: readonly Counted[]): void {
    if (first !== undefined) this.#limiters[first.limit].clear(first.key);
  }

  /** Counts a guess toward all limits or none. @throws {Failure} `rate_limited` */
  #takeAll(counts: readonly Counted[]): void {
    for (const [index, { limit, key }] of counts.entries()) {
      const seconds = this.#limiters[limit].take(key);
      if (seconds === 0) continue;
      for (const taken of counts.slice(0, index)) this.#limiters[taken.limit].refund(taken.key);
      throw new Failure(
        "rate_limited",
        `Too many attempts. Try again in ${formatCount(seconds, "second")}`,
        { retryAfter: seconds },
      );
    }
  }

  #isTimeToTell(subject: string): boolean {
    const now = this.#now();
    if (now - (this.#reported.get(subject) ?? -Infinity) < REPORT_MS) return false;
    if (this.#reported.size >= MAX_REPORTED) this.#reported.clear();
    this.#reported.set(subject, now);
    return true;
  }
}
