/** Refuses requests that exceed a rate limit. @module */
import { formatCount } from "../../../lib/format.ts";
import type { RateWindow } from "../access/mod.ts";
import { Failure } from "./failure.ts";

/**
 * Counts a subject's request. `what` completes "Too many …".
 *
 * @throws {Failure} `rate_limited`
 */
export function requireRate(window: RateWindow, subject: string, what: string): void {
  const wait = window.take(subject);
  if (wait === 0) return;
  throw new Failure(
    "rate_limited",
    `Too many ${what}. Try again in ${formatCount(wait, "second")}`,
    { retryAfter: wait },
  );
}
