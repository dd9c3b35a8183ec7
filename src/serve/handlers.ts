/** Request handlers: the API, the edge, and the dispatch to both by hostname. @module */
import { createEdge, deviceOf, type HttpCache, type LoadedGeo, resolveHost } from "../edge/mod.ts";
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
import type { ConnectionHandler } from "../platform/core/listener/mod.ts";
import { isS3Path } from "../platform/blobs/mod.ts";
import { type EdgeFacts, FACTS_HEADER, isEdgePath } from "../platform/edges/mod.ts";
import { isPeerPath } from "../platform/core/peers/mod.ts";
import process from "node:process";
import { buildApi } from "./api.ts";
import type { CacheSizes } from "./cache_sizes.ts";
import type { Platform } from "./platform.ts";
import type { Dispatch, Listeners } from "./listeners.ts";
import { answerOperations, type OperationsOptions } from "./operations/answer_operations.ts";
import { renderMetrics, RequestCounters } from "./operations/metrics.ts";
import type { RunningRequests } from "./handover/running_requests.ts";
import type { CompleteOptions } from "./options.ts";

/**
 * Requires HTTPS for a year (RFC 6797) on this host, but not on its subdomains, which belong to
 * sites.
 */
const HSTS = "max-age=31536000";

/** Overrides the site that a host shows. */
export interface HostOverride {
  /** If set, this host's site serves every request, and the API is unavailable. */
  hostname: string | undefined;
}

/** Logs why a request failed, with the request ID that the client saw. */
function logFault(options: CompleteOptions, requestId: string, cause: unknown): void {
  const reason = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  options.log({ level: "error", message: `Request ${requestId} failed: ${reason}` });
}

/** Returns the path of an absolute URL, without the query. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return start === -1 ? "/" : url.slice(start, end === -1 ? undefined : end);
}

function operationsOf(
  { version, metricsToken, trustProxy, unhandledErrors }: CompleteOptions,
  { unready, trouble, counters, edges }: {
    readonly unready: () => string | undefined;
    readonly trouble: () => string | undefined;
    readonly counters: RequestCounters;
    readonly edges: () => readonly EdgeFacts[];
  },
): OperationsOptions {
  const startedAt = systemClock() / 1000;
  const metrics = () => {
    const { user, system } = process.cpuUsage();
    const { rss: residentBytes, heapUsed: heapBytes } = Deno.memoryUsage();
    const cpuSeconds = (user + system) / 1e6;
    const isReady = unready() === undefined;
    return renderMetrics({
      version,
      isReady,
      startedAt,
      cpuSeconds,
      residentBytes,
      heapBytes,
      counters,
      unhandledErrors: unhandledErrors?.count ?? 0,
      edges: edges(),
    });
  };
  return { unready, trouble, metrics, metricsToken, isProxied: trustProxy.length > 0 };
}

/** Returns the API's hosts, which are known before the ports are known. */
export function apiNames(
  { baseDomain, publicUrl, nodeUrl, host }: CompleteOptions,
): readonly string[] {
  const named = [publicUrl, nodeUrl].filter((url) => url !== undefined)
    .map((url) => new URL(url).hostname);
  return [baseDomain, ...named, host, "localhost"];
}

/** Creates the handlers for the HTTP and HTTPS listeners. */
export function createHandlers(
  platform: Platform,
  foundation: Foundation,
  {
    options,
    base,
    cache,
    sizes,
    outbound,
    geo,
    knowsNetworks,
    listeners,
    showing,
    running,
    answerPeer,
    unready,
    trouble,
  }: {
    readonly options: CompleteOptions;
    /** The platform's public URL. */
    readonly base: URL;
    readonly cache: HttpCache;
    readonly sizes: CacheSizes;
    readonly outbound: OutboundFetch;
    readonly geo: LoadedGeo;
    readonly knowsNetworks: boolean;
    readonly listeners: Listeners;
    readonly showing: Readonly<HostOverride>;
    /** Counts the requests that are waiting for a response. */
    readonly running: RunningRequests;
    /** Serves requests from other nodes; `undefined` if there cannot be other nodes. */
    readonly answerPeer: ((request: Request) => Promise<Response>) | undefined;
    /** Returns the reason why the platform is not ready, or `undefined` if it is ready. */
    readonly unready: () => string | undefined;
    /**
     * Describes what does not work at the moment, such as storage; `undefined` if everything works.
     */
    readonly trouble: () => string | undefined;
  },
): Dispatch {
  const { sites, domains, logs, traffic } = platform;
  const { domainService, challenges, certificates } = domains;
  const requestId = requestIds(systemRandom);
  const api = buildApi(platform, foundation, {
    requestId,
    knowsNetworks: () =>
      knowsNetworks && (options.trustProxy.length > 0 || geo.asn?.isReadable() !== false),
    knowsCountries: () => geo.geo.isReadable(),
    clientFacts: ({ ip, userAgent }) => ({
      country: geo.geo.country(ip),
      asn: geo.asn?.asn(ip),
      device: deviceOf(userAgent),
    }),
    version: options.version,
    url: base.origin,
    onFault: (id, cause) => logFault(options, id, cause),
  });
  const clientOf = clientFinder({
    trustProxy: options.trustProxy,
    country: (address) => geo.geo.country(address),
  });
  // Trusts no proxies, because the front edge has already identified the client.
  const relayedClientOf = clientFinder({
    trustProxy: [],
    country: (address) => geo.geo.country(address),
  });
  const edge = createEdge({
    resolveHost: (hostname) =>
      resolveHost(showing.hostname ?? hostname, { sites, domains: domainService.hosts }),
    access: platform.previewSignIn,
    record: logs.record,
    count: traffic.count,
    countVitals: traffic.countVitals,
    now: systemClock,
    random: systemRandom,
    requestId,
    cache,
    cacheBytes: sizes.files,
    outbound,
    images: platform.images,
    trustProxy: options.trustProxy,
    onError: (cause, id) => logFault(options, id, cause),
    ...geo,
  });
  platform.door.open(edge);
  const isApi = apiHosts([...apiNames(options), base.hostname]);
  const counters = new RequestCounters();
  const isSecure = base.protocol === "https:" && !/(?:^|\.)localhost$/.test(base.hostname);
  const operations = operationsOf(options, {
    unready,
    trouble,
    counters,
    edges: platform.edges.facts,
  });
  const dispatch = createHostDispatch({
    isApi: (hostname) => showing.hostname === undefined && isApi(hostname),
    api: async (request, { remoteAddress: address, relayedBy, isRelayedHere }) => {
      const path = pathOf(request.url);
      const isRelayed = relayedBy !== undefined && isRelayedHere !== true;
      running.enter();
      try {
        const answer = answerOperations(
          { request, path, address },
          isRelayed ? { ...operations, isProxied: true } : operations,
        ) ??
          (isS3Path(path)
            ? await platform.answerBlobs(request)
            : answerPeer !== undefined && isPeerPath(path)
            ? await answerPeer(request)
            : isEdgePath(path)
            ? await platform.edges.answer(request, address)
            : await api.fetch(request, (isRelayed ? relayedClientOf : clientOf)(request, address)));
        counters.add("api", answer.status);
        if (isSecure) answer.headers.set("strict-transport-security", HSTS);
        return answer;
      } finally {
        running.leave();
      }
    },
    edge: (request, connection) => {
      const answer = edge(request, connection);
      if (answer instanceof Response) {
        counters.add("edge", answer.status);
        return answer;
      }
      running.enter();
      return answer.then((settled) => {
        running.leave();
        counters.add("edge", settled.status);
        return settled;
      }, (error) => {
        running.leave();
        throw error;
      });
    },
    hosts: domainService.hosts,
    challenges: { answer: ({ url }) => challenges.answer(url) },
    ...(listeners.httpsPort === DEFAULT_HTTPS_PORT
      ? { wantsHttps: (hostname) => certificates?.has(hostname) === true }
      : {}),
  });
  const admitting = platform.edges.admitting(dispatch, "remote");
  const admittingAll = platform.edges.admitting(dispatch, "all");
  const origin: ConnectionHandler = (request, connection) =>
    isEdgePath(pathOf(request.url)) && !request.headers.has(FACTS_HEADER)
      ? platform.edges.answer(request, connection.remoteAddress)
      : admittingAll(request, connection);
  return { ...dispatch, http: admitting, https: admitting, origin };
}
