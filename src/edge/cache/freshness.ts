/**
 * How old an answer is and how long it is good (RFC 9111, 4.2). All in seconds.
 *
 * @module
 */
import { findHeader, type HeaderList, joinedHeader } from "../messages/mod.ts";
import { type CacheControl, deltaSeconds, MAX_SECONDS } from "./cache_control.ts";
import { parseHttpDate } from "./http_date.ts";
import type { StoredResponse } from "./types.ts";

/** When the exchange with the origin began and when its answer came; milliseconds. */
export interface Exchanged {
  readonly requestTime: number;
  readonly responseTime: number;
}

/** The origin's `Date`; the time of arrival where it has none that can be read. */
function dateOf(headers: HeaderList, responseTime: number): number {
  const field = findHeader(headers, "date");
  return (field === undefined ? undefined : parseHttpDate(field, responseTime)) ?? responseTime;
}

/** `corrected_initial_age` (4.2.3). */
export function initialAge(headers: HeaderList, { requestTime, responseTime }: Exchanged): number {
  const apparentAge = Math.max(0, (responseTime - dateOf(headers, responseTime)) / 1000);
  const told = findHeader(headers, "age")?.split(",")[0]?.trim();
  const correctedAge = (deltaSeconds(told) ?? 0) + (responseTime - requestTime) / 1000;
  return Math.max(apparentAge, correctedAge);
}

/**
 * The freshness lifetime that the answer itself names, in the order of 4.2.1
 * for a shared cache: `s-maxage`, `max-age`, `Expires`; `undefined` where it
 * names none. An `Expires` that is no date is in the past (5.3).
 */
export function ownLifetime(
  headers: HeaderList,
  control: CacheControl,
  responseTime: number,
): number | undefined {
  const maxAge = control.seconds("s-maxage") ?? control.seconds("max-age");
  if (maxAge !== undefined) return maxAge;
  const expires = joinedHeader(headers, "expires");
  if (expires === undefined) return undefined;
  const until = parseHttpDate(expires, responseTime);
  if (until === undefined) return 0;
  const seconds = (until - dateOf(headers, responseTime)) / 1000;
  return Math.min(Math.max(0, seconds), MAX_SECONDS);
}

/** `current_age` (4.2.3). A clock that was set back does not make an answer younger than it came. */
export function currentAge(stored: StoredResponse, now: number): number {
  return stored.initialAge + Math.max(0, now - stored.responseTime) / 1000;
}

/** Seconds for which the answer stays fresh; negative for how long it has been stale. */
export function remainingLifetime(stored: StoredResponse, now: number): number {
  return stored.terms.lifetime - currentAge(stored, now);
}
