/**
 * The edge: answers the requests for deployments. A site is compiled once, by
 * `compileSite()`; `createEdge()` creates the handler that serves all sites.
 * `README.md` beside this file follows a request through it.
 *
 * @module
 */
export type { AccessRecord, RuleTrace } from "./access_record.ts";
export {
  BlobCorruptError,
  type BlobReader,
  DEFAULT_CACHE_BYTES,
  MAX_CACHED_BYTES,
} from "./blobs/mod.ts";
export {
  createHttpCache,
  type HttpCache,
  type PurgeOptions,
  type PurgeScope,
} from "./cache/mod.ts";
export type { SiteCompute } from "./compute/mod.ts";
export { DomainHosts, type ProductionSite, resolveHost, SiteDirectory } from "./directory/mod.ts";
export { createEdge } from "./edge.ts";
export type { EdgeHandler, EdgeOptions } from "./edge_options.ts";
export {
  type AsnLookup,
  GeoFileError,
  type GeoFiles,
  type GeoLookup,
  type LoadedGeo,
  loadGeo,
  openAsnDatabase,
  openCountryDatabase,
} from "./geo/mod.ts";
export type { ConvertedImage, ImageOrder, ImageOutcome, ImageService } from "./images/mod.ts";
export {
  DEFAULT_ISR_MEMORY_BYTES,
  IsrCache,
  type IsrCacheOptions,
  IsrMemory,
  type IsrStore,
} from "./isr/mod.ts";
export { type SiteFunctions } from "./pipeline/mod.ts";
export type { ObservedRequest } from "./observed_request.ts";
export type { ByteRange } from "./ranges/mod.ts";
export { rateLimitHeaders } from "./rate_limit/mod.ts";
export {
  type AssumedClient,
  type ClientSocket,
  type Connection,
  contentOf,
  deviceOf,
  type ForwardedHeader,
  TrustedProxies,
} from "./request/mod.ts";
export {
  askServer,
  compileSite,
  compileSiteInTurns,
  ruleCounts,
  type ServerQuestion,
  type ServerReply,
  type Site,
  type SiteSource,
  withRules,
  withRulesInTurns,
} from "./site/mod.ts";
export type { RuleCount } from "./site_rules/mod.ts";
export type { SiteFile } from "./static/mod.ts";
