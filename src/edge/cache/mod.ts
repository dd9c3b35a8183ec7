/**
 * The `cache` and `bypass_cache` actions: a shared HTTP cache (RFC 9111).
 *
 * @module
 */
export { CacheControl } from "./cache_control.ts";
export { CacheFill } from "./cache_fill.ts";
export { cacheKey } from "./cache_key.ts";
export { type CacheReport, withReport } from "./cache_status.ts";
export type { PurgeScope } from "./cache_store.ts";
export { contentLength, deliver } from "./deliver.ts";
export { FactsRequest } from "./facts_request.ts";
export { createHttpCache, HttpCache } from "./http_cache.ts";
export { formatHttpDate } from "./http_date.ts";
export {
  awaitOutcome,
  type InFlightRequest,
  InFlightRequests,
  systemTimer,
  type Timer,
} from "./in_flight_requests.ts";
export { outgoingHeaders, responseFrom } from "./stored_response.ts";
export type { CachedResponse, CacheRequest, OriginRequest, StoredResponse } from "./types.ts";
export { varyNames } from "./vary.ts";
