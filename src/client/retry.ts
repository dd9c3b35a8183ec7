/** @module Decides which failures to retry, and how long to wait before each attempt. */
import pRetry from "p-retry";
import { sleep } from "../lib/sleep.ts";
import { ApiError, NoAnswerError, UnreachableError } from "./errors.ts";

export interface RetryPolicy {
  /** Number of attempts after the first one. */
  readonly retries: number;
  /** Pause before the second attempt, in milliseconds. The pause doubles with each attempt. */
  readonly firstPause: number;
  /** Maximum pause in milliseconds. A longer `Retry-After` ends the attempts. */
  readonly longestPause: number;
}

export const DEFAULT_RETRIES: RetryPolicy = { retries: 3, firstPause: 250, longestPause: 10_000 };
/**
 * Policy for uploads. Uploads take a long time, so a short outage of the platform must not make
 * them fail.
 */
export const UPLOAD_RETRIES: RetryPolicy = { retries: 7, firstPause: 250, longestPause: 15_000 };

const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Returns true for a failure that may be temporary. */
function isPassing(error: unknown, policy: RetryPolicy): boolean {
  if (error instanceof UnreachableError) return !(error instanceof NoAnswerError);
  if (!(error instanceof ApiError) || !PASSING_STATUSES.has(error.status)) return false;
  return (error.retryAfter ?? 0) <= policy.longestPause;
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3) as seconds or a date, and returns milliseconds from `now`.
 * Returns `undefined` if it is missing or invalid.
 */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * Runs `attempt` until it succeeds or fails permanently, or until the policy allows no more
 * attempts.
 */
export function withRetries<T>(
  attempt: () => Promise<T>,
  options: {
    readonly policy: RetryPolicy;
    readonly signal?: AbortSignal;
    /** Stops further attempts when it is aborted. */
    readonly stop?: AbortSignal | undefined;
  },
): Promise<T> {
  const { policy, signal, stop } = options;
  return pRetry(attempt, {
    retries: policy.retries,
    minTimeout: policy.firstPause,
    maxTimeout: policy.longestPause,
    randomize: policy.firstPause > 0,
    signal,
    shouldRetry: ({ error }) => stop?.aborted !== true && isPassing(error, policy),
    onFailedAttempt: async ({ error, retriesLeft, retryDelay }) => {
      if (retriesLeft === 0 || !(error instanceof ApiError)) return;
      const wanted = (error.retryAfter ?? 0) - retryDelay;
      if (wanted > 0 && isPassing(error, policy)) await sleep(wanted, signal);
    },
  });
}
