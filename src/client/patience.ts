/** @module Timeouts of calls. */
import { NoAnswerError } from "./errors.ts";

/** Maximum waiting times, in milliseconds. */
export interface Waits {
  /** For a call that only reads, and for the headers of a stream. */
  readonly read: number;
  /** For a call that changes something, such as starting a server. */
  readonly change: number;
  /** Time between two calls of `onWaiting`. */
  readonly notice: number;
}

export const USUAL_WAITS: Waits = { read: 60_000, change: 15 * 60_000, notice: 5_000 };

/** Waits for `work`, which has `milliseconds` left to finish after `signal` is aborted. */
export async function withPatience<T>(
  signal: AbortSignal,
  milliseconds: number,
  work: (late: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => timer = setTimeout(() => late.abort(signal.reason), milliseconds);
  if (signal.aborted) late.abort(signal.reason);
  else signal.addEventListener("abort", stop, { once: true });
  try {
    return await work(late.signal);
  } finally {
    signal.removeEventListener("abort", stop);
    clearTimeout(timer);
  }
}

/** Time limits of one exchange. */
interface WaitLimits {
  readonly baseUrl: string;
  /** Maximum wait in milliseconds. */
  readonly longest: number;
  /** Time before the first call of `onWaiting`, and between calls, in milliseconds. */
  readonly noticeEvery: number;
  /** Called with the elapsed milliseconds. */
  readonly onWaiting?: ((waited: number) => void) | undefined;
}

/**
 * Waits for an exchange up to a time limit.
 *
 * @throws {NoAnswerError} if the exchange takes longer than `longest`
 */
export async function withLimits<T>(
  { baseUrl, longest, noticeEvery, onWaiting }: WaitLimits,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const giveUp = new NoAnswerError(baseUrl, longest);
  const end = setTimeout(() => limit.abort(giveUp), longest);
  let waited = 0;
  const notice = onWaiting && setInterval(() => onWaiting(waited += noticeEvery), noticeEvery);
  try {
    return await work(limit.signal);
  } catch (error) {
    throw limit.signal.aborted ? giveUp : error;
  } finally {
    clearTimeout(end);
    clearInterval(notice);
  }
}
