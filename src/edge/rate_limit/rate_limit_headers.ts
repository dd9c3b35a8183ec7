/**
 * What a client is told about its limits: `RateLimit-Policy` and `RateLimit`
 * as draft-ietf-httpapi-ratelimit-headers-11 writes them (structured fields,
 * RFC 9651), and `Retry-After` (RFC 9110, 10.2.3).
 *
 * The partition key (`pk`) is not sent: it would repeat the client's address.
 *
 * @module
 */
import type { Header } from "../messages/mod.ts";
import type { RateLimitVerdict } from "./rate_limiter.ts";

/** A verdict under the name of its policy: the id of the rule. */
export interface NamedVerdict extends RateLimitVerdict {
  readonly name: string;
}

/** How a limit stands, whatever became of the request. */
type Standing = Omit<NamedVerdict, "allowed">;

/** A structured field string (RFC 9651, 3.3.3); what ASCII can not print becomes `_`. */
function quoted(text: string): string {
  const printable = text.replaceAll(/[^\x20-\x7e]/g, "_");
  return `"${printable.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** The effective window (draft, 4.1.2): how long no more than the remaining quota can be used. */
function effectiveWindow(verdict: Standing): number {
  return verdict.remaining > 0 ? verdict.resetSeconds : verdict.retryAfterSeconds;
}

/** The fields for an answer whose request was counted under these policies; none for none. */
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
 * The fields for a 429: those of every answer, and the seconds after which all
 * the limits that refused the request let one through.
 */
export function refusalHeaders(verdicts: readonly NamedVerdict[]): Header[] {
  const waits = verdicts.flatMap(({ allowed, retryAfterSeconds }) =>
    allowed ? [] : [retryAfterSeconds]
  );
  return [["retry-after", String(Math.max(1, ...waits))], ...rateLimitHeaders(verdicts)];
}
