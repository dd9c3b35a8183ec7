/**
 * The `cache` and `bypass_cache` actions: a shared HTTP cache (RFC 9111).
 *
 * @module
 */
export { CacheControl, MAX_SECONDS } from "./cache_control.ts";
export { CacheFill } from "./cache_fill.ts";
export { cacheKey } from "./cache_key.ts";
export { type CacheReport, withReport } from "./cache_status.ts";
export type { PurgeScope } from "../../feed/mod.ts";
export { isPurged } from "./cache_store.ts";
export { cacheTags, MAX_TAG_CHARACTERS, MAX_TAGS } from "./cache_tags.ts";
export { mayServeStaleOnError } from "./decide_lookup.ts";
export type { ResponseHead } from "./decide_store.ts";
export { contentLength, deliver } from "./deliver.ts";
export { FactsRequest } from "./facts_request.ts";
export { type GoverningField, governingField } from "./governing_field.ts";
export { createHttpCache, HttpCache, type PurgeOptions } from "./http_cache.ts";
export { formatHttpDate } from "./http_date.ts";
export {
  awaitOutcome,
  type InFlightRequest,
  InFlightRequests,
  systemTimer,
  type Timer,
} from "./in_flight_requests.ts";
export { outgoingHeaders, responseFrom } from "./stored_response.ts";
export { initialAge, remainingLifetime } from "./freshness.ts";
export { UNKEYED } from "./origin_request.ts";
export { concernsCache, isConsumed, withoutConsumed } from "./own_fields.ts";
export type {
  CachedResponse,
  CacheRequest,
  OriginRequest,
  StoredResponse,
  Terms,
  VaryField,
} from "./types.ts";
export { matchesVary, varyNames, varyValue } from "./vary.ts";
