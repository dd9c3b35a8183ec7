/**
 * @module The edge serves requests for deployments. `compileSite()` compiles a site once.
 * `createEdge()` creates the handler that serves all sites. `README.md` next to this file follows a
 * request through the edge.
 */
export { type AccessKeeper, type PasswordOutcome, SHARE } from "./access/gatekeeper.ts";
export { CALLBACK_PATH } from "./access/gate_pages.ts";
export { openToken, sealToken, type TokenContent } from "./access/sealed_token.ts";
export { type AccessFacts, type ShareFacts, SiteAccess } from "./access/site_access.ts";
export type { AccessRecord, RuleTrace } from "./access_record.ts";
export { BlobCorruptError, type BlobReader } from "./blobs/blob_reader.ts";
export { BlobStreams } from "./blobs/verified_stream.ts";
export { createHttpCache, type HttpCache, type PurgeOptions } from "./cache/http_cache.ts";
export type { PurgeScope } from "../feed/mod.ts";
export type { SiteCompute } from "./compute/compute_responder.ts";
export { DomainHosts } from "./directory/domain_hosts.ts";
export {
  type ProductionSite,
  type RollingHost,
  SiteDirectory,
} from "./directory/site_directory.ts";
export { resolveHost } from "./directory/host_table.ts";
export { createEdge } from "./edge.ts";
export type { EdgeHandler } from "./edge_options.ts";
export type { FormField, FormKeeper, KeepOutcome, Submission } from "./forms/submission.ts";
export { GeoFileError, type LoadedGeo, loadGeo } from "./geo/load_geo.ts";
export type { ConvertedImage, ImageOrder, ImageOutcome, ImageService } from "./images/types.ts";
export { DEFAULT_ISR_MEMORY_BYTES, IsrMemory } from "./isr/isr_memory.ts";
export { IsrCache } from "./isr/isr_cache.ts";
export type { IsrStore } from "./isr/types.ts";
export { createRelay, type RelayedClient } from "./relay.ts";
export type { SiteFunctions } from "./pipeline/function_runner.ts";
export type { ObservedRequest } from "./observed_request.ts";
export type { ByteRange } from "./ranges/byte_ranges.ts";
export { rateLimitHeaders } from "./rate_limit/rate_limit_headers.ts";
export type { AssumedClient, Connection } from "./request/client_request.ts";
export { contentOf } from "./request/request_content.ts";
export { deviceOf } from "./request/device.ts";
export { TrustedProxies } from "./request/trusted_proxies.ts";
export { askServer, type ServerQuestion, type ServerReply } from "./site/ask_server.ts";
export {
  atHost,
  compileSite,
  compileSiteInTurns,
  countRules,
  ruleCounts,
  type Site,
  withRules,
  withRulesInTurns,
} from "./site/site.ts";
export { contentType } from "./static/content_type.ts";
export type { ObjectAnswer, SiteObjects } from "./site/site_objects.ts";
