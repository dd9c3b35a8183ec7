/**
 * The edge: answers the requests for deployments. A site is compiled once, by
 * `compileSite()`; `createEdge()` makes the handler that serves all sites.
 * `README.md` beside this file tells the life of a request.
 *
 * @module
 */
export type { AccessRecord, RuleTrace } from "./access_record.ts";
export { BlobCorruptError, type BlobReader } from "./blobs/blob_reader.ts";
export { DEFAULT_CACHE_BYTES, MAX_CACHED_BYTES } from "./blobs/blob_cache.ts";
export { createHttpCache, type HttpCache, type PurgeScope } from "./cache/http_cache.ts";
export { PageMemory } from "./isr/isr_memory.ts";
export { KeptPages, type KeptPagesOptions } from "./isr/isr_cache.ts";
export type { PageVault } from "./isr/types.ts";
export type { SiteCompute } from "./compute/site_compute.ts";
export { deviceOf } from "./request/device.ts";
export { createEdge, type EdgeHandler, type EdgeOptions } from "./edge.ts";
export type { Connection } from "./request/client_request.ts";
export { GeoFileError, type GeoFiles, type LoadedGeo, loadGeo } from "./geo/load_geo.ts";
export {
  type AsnLookup,
  type GeoLookup,
  openAsnDatabase,
  openCountryDatabase,
} from "./geo/lookup.ts";
export { rateLimitHeaders } from "./rate_limit/rate_limit_headers.ts";
export type { RuleCount } from "./site_rules/rule_counters.ts";
export {
  compileSite,
  compileSiteInTurns,
  ruleCounts,
  type Site,
  type SiteSource,
  withRules,
  withRulesInTurns,
} from "./site/site.ts";
export type { ByteRange } from "./ranges/byte_range.ts";
export type { SiteFile } from "./static/static_file.ts";
export { type ForwardedHeader, TrustedProxies } from "./request/trusted_proxies.ts";
export { type NeededFunction, neededFunctions } from "./pipeline/needed_functions.ts";
export type { SiteFunctions } from "./pipeline/function_runner.ts";
