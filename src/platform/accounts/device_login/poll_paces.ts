/**
 * How fast each pending code is polled (RFC 8628, 3.5), in memory: a poll of a
 * pending code writes nothing, and one that comes too early does not even read
 * (docs/decisions/accounts.md).
 *
 * @module
 */
import { DEVICE_POLL_SECONDS } from "../../../contract/device.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { DeviceGrant } from "./types.ts";

/** Seconds that each `slow_down` adds to the interval (RFC 8628, 3.5). */
const SLOW_DOWN_SECONDS = 5;

/** How much too early a poll may arrive, in milliseconds: networks and timers are not exact. */
const TOLERANCE_MS = 1000;

/** Early polls within this time count once, in milliseconds: a client may repeat a request. */
const REPEAT_MS = 1000;

/** Who polls, and how. */
interface Poller {
  readonly clientId: string | undefined;
  /** Whether it names itself by HTTP Basic authentication. */
  readonly isBasic: boolean;
}

/**
 * How long a grant counts as pending after it was read, in milliseconds:
 * another process may decide on it meanwhile.
 */
const FRESH_MS = 1000;

/**
 * Maximum number of codes whose pace is remembered; the platform starts at most 5,000 in their
 * lifetime.
 */
const MAX_CODES = 10_000;

interface Pace {
  readonly clientId: string | null;
  readonly expiresAt: number;
  /** When the grant was last read, and was pending. */
  readonly readAt: number;
  readonly lastPollAt: number;
  /** Seconds between polls. */
  readonly interval: number;
  /** When a poll that came early last raised the interval. */
  readonly raisedAt: number;
  /** Whether the last poll named its client by HTTP Basic authentication. */
  readonly isBasic: boolean;
}

export class PollPaces {
  /** By the hash of the device code; least recently read first. */
  readonly #paces = new Map<string, Pace>();

  readonly #now: Clock;
  readonly #maxCodes;

  constructor(now: Clock, maxCodes = MAX_CODES) {
    this.#now = now;
    this.#maxCodes = maxCodes;
  }

  /**
   * Whether a poll is refused without a read the grant: it comes too early,
   * the client is the grant's, and the grant was pending a moment ago.
   */
  refuses(deviceHash: string, { clientId, isBasic }: Poller): boolean {
    const pace = this.#paces.get(deviceHash);
    const now = this.#now();
    if (pace === undefined || now - pace.readAt >= FRESH_MS || now >= pace.expiresAt) return false;
    if (pace.clientId !== null && pace.clientId !== clientId) return false;
    if (!isEarly(pace, now) || isSecondTry(pace, { now, isBasic })) return false;
    this.#paces.set(deviceHash, slower(pace, now));
    return true;
  }

  /** Counts a poll of a grant that was just read; says whether it came too early. */
  count(
    { deviceHash, clientId, expiresAt }: DeviceGrant,
    { isBasic }: Pick<Poller, "isBasic">,
  ): "pending" | "slow_down" {
    const now = this.#now();
    const known = this.#paces.get(deviceHash);
    if (known !== undefined && isSecondTry(known, { now, isBasic })) {
      this.#paces.delete(deviceHash);
      this.#paces.set(deviceHash, { ...known, readAt: now, isBasic });
      return "pending";
    }
    const early = known !== undefined && isEarly(known, now);
    const { interval, lastPollAt, raisedAt } = early
      ? slower(known, now)
      : { interval: known?.interval ?? DEVICE_POLL_SECONDS, lastPollAt: now, raisedAt: -Infinity };
    this.#paces.delete(deviceHash);
    this.#paces.set(deviceHash, {
      clientId,
      expiresAt,
      readAt: now,
      lastPollAt,
      interval,
      raisedAt,
      isBasic,
    });
    if (this.#paces.size > this.#maxCodes) this.#forgetOldest();
    return early ? "slow_down" : "pending";
  }

  /** Makes the next poll read the grant: it was decided on. */
  forget(deviceHash: string): void {
    this.#paces.delete(deviceHash);
  }

  #forgetOldest(): void {
    const [oldest] = this.#paces.keys();
    if (oldest !== undefined) this.#paces.delete(oldest);
  }
}

const isEarly = (pace: Pace, now: number): boolean =>
  now < pace.lastPollAt + pace.interval * 1000 - TOLERANCE_MS;

/**
 * Whether a poll that was in time is tried again by a client that does not know how a server
 * wants to learn its name: golang.org/x/oauth2 tries HTTP Basic authentication, then the body.
 */
const isSecondTry = (
  pace: Pace,
  { now, isBasic }: { readonly now: number; readonly isBasic: boolean },
): boolean =>
  pace.isBasic && !isBasic && now - pace.lastPollAt < REPEAT_MS && pace.raisedAt < pace.lastPollAt;

/** After a poll that came early; one that repeats another changes nothing. */
const slower = (pace: Pace, now: number): Pace =>
  now - pace.raisedAt < REPEAT_MS ? pace : {
    ...pace,
    lastPollAt: now,
    interval: pace.interval + SLOW_DOWN_SECONDS,
    raisedAt: now,
  };
