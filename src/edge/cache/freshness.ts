/** @module Age and freshness of responses, in seconds (RFC 9111, 4.2). */
import { findHeader, type HeaderList, joinedHeader } from "../messages/header_list.ts";
import { deltaSeconds, MAX_SECONDS } from "./cache_control.ts";
import type { GoverningField } from "./governing_field.ts";
import { parseHttpDate } from "./http_date.ts";
import type { StoredResponse } from "./types.ts";

/** When the request was sent to the origin and when the response arrived, in milliseconds. */
export interface ExchangeTimes {
  readonly requestTime: number;
  readonly responseTime: number;
}

/** Returns the origin's `Date`, or the time of arrival if `Date` is missing or invalid. */
function dateOf(headers: HeaderList, responseTime: number): number {
  const field = findHeader(headers, "date");
  return (field === undefined ? undefined : parseHttpDate(field, responseTime)) ?? responseTime;
}

/** Returns the `corrected_initial_age` (4.2.3). */
export function initialAge(
  headers: HeaderList,
  { requestTime, responseTime }: ExchangeTimes,
): number {
  const apparentAge = Math.max(0, (responseTime - dateOf(headers, responseTime)) / 1000);
  const age = findHeader(headers, "age")?.split(",")[0]?.trim();
  const correctedAge = (deltaSeconds(age) ?? 0) + (responseTime - requestTime) / 1000;
  return Math.max(apparentAge, correctedAge);
}

/**
 * Returns the freshness lifetime that the response itself declares, or `undefined` if it declares
 * none. The order for a shared cache (4.2.1) is `s-maxage`, `max-age`, `Expires`. An invalid
 * `Expires` counts as a time in the past (5.3).
 */
export function ownLifetime(
  headers: HeaderList,
  { control, isTargeted }: GoverningField,
  responseTime: number,
): number | undefined {
  const maxAge = control.seconds("s-maxage") ?? control.seconds("max-age");
  if (maxAge !== undefined || isTargeted) return maxAge;
  const expires = joinedHeader(headers, "expires");
  if (expires === undefined) return undefined;
  const until = parseHttpDate(expires, responseTime);
  if (until === undefined) return 0;
  const seconds = (until - dateOf(headers, responseTime)) / 1000;
  return Math.min(Math.max(0, seconds), MAX_SECONDS);
}

/**
 * Returns the `current_age` (4.2.3), which is never less than the initial age, even if the clock
 * was set back.
 */
export function currentAge(stored: StoredResponse, now: number): number {
  return stored.initialAge + Math.max(0, now - stored.responseTime) / 1000;
}

/**
 * Returns the number of seconds until the response is stale, or 0 or less if it is already stale.
 */
export function remainingLifetime(stored: StoredResponse, now: number): number {
  const remaining = stored.terms.lifetime - currentAge(stored, now);
  const { staleSince } = stored;
  return staleSince === undefined ? remaining : Math.min(remaining, (staleSince - now) / 1000, 0);
}
