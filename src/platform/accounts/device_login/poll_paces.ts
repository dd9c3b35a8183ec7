/**
 * Tracks in memory how fast each pending code is polled (RFC 8628, 3.5). A poll of a pending code
 * writes nothing, and an early poll does not even read the store (docs/decisions/accounts.md).
 *
 * @module
 */
import { DEVICE_POLL_SECONDS } from "../../../contract/device.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { DeviceGrant } from "./types.ts";

/** Seconds that each `slow_down` adds to the interval (RFC 8628, 3.5). */
const SLOW_DOWN_SECONDS = 5;

/** Tolerance for early polls, in milliseconds. Networks and timers are inexact. */
const TOLERANCE_MS = 1000;

/**
 * Time in milliseconds within which several early polls count as one, because clients may repeat a
 * request.
 */
const REPEAT_MS = 1000;

interface Poller {
  readonly clientId: string | undefined;
  /** Whether the client identifies itself with HTTP Basic authentication. */
  readonly isBasic: boolean;
}

/**
 * How long a grant counts as pending after being read, in milliseconds. Another node may approve or
 * deny the grant in the meantime.
 */
const FRESH_MS = 1000;

/**
 * Maximum number of codes that are tracked. The platform issues at most 5,000 codes within a code's
 * lifetime.
 */
const MAX_CODES = 10_000;

interface Pace {
  readonly clientId: string | null;
  readonly expiresAt: number;
  /** When the grant was last read as pending. */
  readonly readAt: number;
  readonly lastPollAt: number;
  /** Seconds between polls. */
  readonly interval: number;
  /** When an early poll last raised the interval. */
  readonly raisedAt: number;
  /** Whether the last poll identified its client with HTTP Basic authentication. */
  readonly isBasic: boolean;
}

export class PollPaces {
  /** Paces by the hash of the device code, with the least recently read first. */
  readonly #paces = new Map<string, Pace>();

  readonly #now: Clock;
  readonly #maxCodes;

  constructor(now: Clock, maxCodes = MAX_CODES) {
    this.#now = now;
    this.#maxCodes = maxCodes;
  }

  /**
   * Returns whether to reject an early poll without reading the grant, because the grant was
   * pending a moment ago.
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

  /**
   * Counts a poll of a grant that has just been read. Returns `slow_down` if the poll was early.
   */
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
    if (this.#paces.size > this.#maxCodes) this.#paces.delete(this.#paces.keys().next().value!);
    return early ? "slow_down" : "pending";
  }

  /** Makes the next poll read the grant, because it has been approved or denied. */
  forget(deviceHash: string): void {
    this.#paces.delete(deviceHash);
  }
}

const isEarly = (pace: Pace, now: number): boolean =>
  now < pace.lastPollAt + pace.interval * 1000 - TOLERANCE_MS;

/**
 * Returns whether a client repeats a poll to try another authentication method, as
 * golang.org/x/oauth2 does.
 */
const isSecondTry = (
  pace: Pace,
  { now, isBasic }: { readonly now: number; readonly isBasic: boolean },
): boolean =>
  pace.isBasic && !isBasic && now - pace.lastPollAt < REPEAT_MS && pace.raisedAt < pace.lastPollAt;

/** Returns the pace after an early poll. A repeated poll does not change the pace. */
const slower = (pace: Pace, now: number): Pace =>
  now - pace.raisedAt < REPEAT_MS ? pace : {
    ...pace,
    lastPollAt: now,
    interval: pace.interval + SLOW_DOWN_SECONDS,
    raisedAt: now,
  };
