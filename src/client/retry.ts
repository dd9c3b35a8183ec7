/** @module Decides which failures to retry, and how long to wait before. */
import pRetry from "p-retry";
import { ApiError, NoAnswerError, UnreachableError } from "./errors.ts";

export interface RetryPolicy {
  /** Attempts after the first. */
  readonly retries: number;
  /** Pause before the second attempt in milliseconds; doubles each time. */
  readonly firstPause: number;
  /** Maximum pause in milliseconds; a longer `Retry-After` ends the attempts. */
  readonly longestPause: number;
}

export const DEFAULT_RETRIES: RetryPolicy = { retries: 3, firstPause: 250, longestPause: 10_000 };
/** Uploads take long, so a short outage of the platform must not end them. */
export const UPLOAD_RETRIES: RetryPolicy = { retries: 7, firstPause: 250, longestPause: 15_000 };

const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** True for a failure that may be temporary. */
function isPassing(error: unknown, policy: RetryPolicy): boolean {
  if (error instanceof UnreachableError) return !(error instanceof NoAnswerError);
  if (!(error instanceof ApiError) || !PASSING_STATUSES.has(error.status)) return false;
  return (error.retryAfter ?? 0) <= policy.longestPause;
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3), seconds or a date, as milliseconds
 * from `now`; `undefined` if it is missing or unreadable.
 */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Runs `attempt` until it succeeds, fails permanently, or the policy is used up. */
export function withRetries<T>(
  attempt: () => Promise<T>,
  options: {
    readonly policy: RetryPolicy;
    readonly signal?: AbortSignal;
    /** No further attempt follows once this is aborted. */
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
      if (wanted > 0 && isPassing(error, policy)) await pause(wanted, signal);
    },
  });
}
