/**
 * The `cache` and `bypass_cache` actions: a shared HTTP cache (RFC 9111).
 *
 * @module
 */
export { CacheControl } from "./cache_control.ts";
export { Fill } from "./cache_fill.ts";
export { cacheKey } from "./cache_key.ts";
export { type CacheReport, withReport } from "./cache_status.ts";
export type { PurgeScope } from "./cache_store.ts";
export { contentLength, deliver } from "./deliver.ts";
export { FactsRequest } from "./facts_request.ts";
export { createHttpCache, HttpCache } from "./http_cache.ts";
export { formatHttpDate } from "./http_date.ts";
export {
  awaitLanding,
  type Flight,
  Flights,
  systemTimer,
  type Timer,
} from "./in_flight_requests.ts";
export { answerFrom, outgoingHeaders } from "./stored_response.ts";
export type { CachedAnswer, CacheRequest, OriginRequest, StoredAnswer } from "./types.ts";
export { varyNames } from "./vary.ts";
