/** Decides when to retry a message: exponential backoff with full jitter. @module */
import { type ChannelLimits } from "../../../contract/channels.ts";
import type { Random } from "../../../lib/clock.ts";

type RetryDecision =
  | { readonly type: "again"; readonly at: number }
  | { readonly type: "give_up"; readonly because: "attempts" | "age" };

/** Returns a number in [0, 1), made from 32 random bits. */
export function fraction(random: Random): number {
  const bytes = random(4);
  return new DataView(bytes.buffer).getUint32(0) / 2 ** 32;
}

/**
 * Returns the upper bound of the pause after an attempt, in milliseconds. Attempts are numbered
 * from 1.
 */
export function pauseBound(
  attempt: number,
  limits: Pick<ChannelLimits, "firstPauseMs" | "factor" | "longestPauseMs">,
): number {
  const { firstPauseMs, factor, longestPauseMs } = limits;
  return Math.min(longestPauseMs, firstPauseMs * factor ** Math.min(attempt - 1, 60));
}

/**
 * Decides what to do after a failed attempt. Attempts count only if the receiver refused the
 * message.
 */
export function decideRetry(
  message: { readonly attempts: number; readonly acceptedAt: number },
  facts: {
    readonly limits: ChannelLimits;
    readonly now: number;
    readonly random: Random;
    readonly hostTrouble: boolean;
    readonly retryAfterMs?: number;
  },
): RetryDecision {
  const { limits, now, random, hostTrouble, retryAfterMs = 0 } = facts;
  const isTried = message.attempts >= limits.maxAttempts;
  if (isTried && !hostTrouble) return { type: "give_up", because: "attempts" };
  const jittered = Math.ceil(fraction(random) * pauseBound(message.attempts, limits));
  const at = now + Math.max(jittered, retryAfterMs);
  if (at - message.acceptedAt > limits.maxAgeMs) return { type: "give_up", because: "age" };
  return { type: "again", at };
}
