/**
 * @module Header fields that report rate limits: `RateLimit-Policy` and `RateLimit` from
 * draft-ietf-httpapi-ratelimit-headers-11 (structured fields, RFC 9651), and `Retry-After` (RFC
 * 9110, 10.2.3).
 *
 * The partition key (`pk`) is not sent, because it would reveal the client's address.
 */
import type { Header } from "../messages/header_list.ts";
import type { RateLimitVerdict } from "./rate_limiter.ts";

/** A verdict with the name of its policy, which is the rule's ID. */
export interface NamedVerdict extends RateLimitVerdict {
  readonly name: string;
}

/** The state of a limit, for allowed and rejected requests. */
type Standing = Omit<NamedVerdict, "allowed">;

/**
 * Formats a structured field string (RFC 9651, 3.3.3). Characters outside printable ASCII become
 * `_`.
 */
function quoted(text: string): string {
  const printable = text.replaceAll(/[^\x20-\x7e]/g, "_");
  return `"${printable.replaceAll(/["\\]/g, "\\$&")}"`;
}

/**
 * Returns the effective window in seconds (draft, 4.1.2): the time during which only the remaining
 * quota can be used.
 */
function effectiveWindow(verdict: Standing): number {
  return verdict.remaining > 0 ? verdict.resetSeconds : verdict.retryAfterSeconds;
}

/**
 * Returns the header fields for a response whose request was counted under these policies. There
 * are none if there are no policies.
 */
export function rateLimitHeaders(verdicts: readonly Standing[]): Header[] {
  if (verdicts.length === 0) return [];
  const policies = verdicts.map(({ name, limit, windowSeconds }) =>
    `${quoted(name)};q=${limit};w=${windowSeconds}`
  );
  const limits = verdicts.map((verdict) =>
    `${quoted(verdict.name)};r=${verdict.remaining};t=${effectiveWindow(verdict)}`
  );
  return [["ratelimit-policy", policies.join(", ")], ["ratelimit", limits.join(", ")]];
}

/**
 * Returns the header fields for a 429: those of every response, and the number of seconds until
 * another request is allowed by all limits that rejected this one.
 */
export function refusalHeaders(verdicts: readonly NamedVerdict[]): Header[] {
  const waits = verdicts.flatMap(({ allowed, retryAfterSeconds }) =>
    allowed ? [] : [retryAfterSeconds]
  );
  return [["retry-after", String(Math.max(1, ...waits))], ...rateLimitHeaders(verdicts)];
}
