/**
 * The handlers of requests: the API, the edge, and the dispatch by hostname in
 * front of both.
 *
 * @module
 */
import {
  createEdge,
  type HttpCache,
  type LoadedGeo,
  resolveHost,
  type SharedCounters,
} from "../edge/mod.ts";
import type { OutboundFetch } from "../runtime/mod.ts";
import { systemClock, systemRandom } from "../lib/clock.ts";
import { DEFAULT_HTTPS_PORT } from "../platform/certificates/mod.ts";
import type { Foundation } from "../platform/core/foundation.ts";
import {
  apiHosts,
  clientFinder,
  createHostDispatch,
  requestIds,
} from "../platform/core/http/mod.ts";
import { buildApi } from "./api.ts";
import { type CacheSizes, filesPerEdge } from "./cache_sizes.ts";
import type { Platform } from "./platform.ts";
import type { Listeners } from "./listeners.ts";
import { apiNames } from "./open_edges.ts";
import type { PlatformOptions } from "./options.ts";

/** What hosts show. */
export interface Showing {
  /** The one host whose site answers every request, and the API none; all hosts where missing. */
  hostname: string | undefined;
}

/** Logs why a request failed, with the id that the client saw. */
function logFault(options: PlatformOptions, requestId: string, cause: unknown): void {
  const reason = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  options.log({ level: "error", message: `Request ${requestId} failed: ${reason}` });
}

/** Makes the handlers of the HTTP and the HTTPS listener. */
export function createHandlers(
  platform: Platform,
  foundation: Foundation,
  { options, base, cache, sizes, outbound, geo, knowsNetworks, listeners, shared, showing }: {
    readonly options: PlatformOptions;
    /** The address at which people reach the platform. */
    readonly base: URL;
    readonly cache: HttpCache;
    readonly sizes: CacheSizes;
    readonly outbound: OutboundFetch;
    readonly geo: LoadedGeo;
    readonly knowsNetworks: boolean;
    readonly listeners: Listeners;
    /** What other edges use too, where there are any. */
    readonly shared: { readonly counters: SharedCounters; readonly pseudonym: string } | undefined;
    readonly showing: Readonly<Showing>;
  },
): ReturnType<typeof createHostDispatch> {
  const { sites, domains, logs } = platform;
  const { domainService, challenges, certificates } = domains;
  const requestId = requestIds(systemRandom);
  const api = buildApi(platform, foundation, {
    ...{ knowsNetworks, requestId },
    version: options.version,
    url: base.origin,
    onFault: (id, cause) => logFault(options, id, cause),
  });
  const clientOf = clientFinder({
    trustProxy: options.trustProxy,
    country: (address) => geo.geo.country(address),
  });
  const edge = createEdge({
    resolveHost: (hostname) =>
      resolveHost(showing.hostname ?? hostname, { sites, domains: domainService.hosts }),
    record: logs.record,
    now: systemClock,
    random: systemRandom,
    requestId,
    cache,
    cacheBytes: filesPerEdge(sizes, options.edgeThreads ?? 1),
    outbound,
    images: platform.images,
    ...{ counters: shared?.counters, pseudonym: shared?.pseudonym },
    trustProxy: options.trustProxy,
    onError: (cause, id) => logFault(options, id, cause),
    ...geo,
  });
  const isApi = apiHosts([...apiNames(options), base.hostname]);
  return createHostDispatch({
    isApi: (hostname) => showing.hostname === undefined && isApi(hostname),
    api: (request, { remoteAddress }) => api.fetch(request, clientOf(request, remoteAddress)),
    edge,
    hosts: domainService.hosts,
    challenges: { answer: ({ url }) => challenges.answer(url) },
    ...(listeners.httpsPort === DEFAULT_HTTPS_PORT
      ? { wantsHttps: (hostname) => certificates?.find(hostname) !== undefined }
      : {}),
  });
}
