/**
 * @module The cache of a front edge. It stores the responses that the platform's caches have
 * stored, under the same terms. The front edge evaluates the rules for each visitor, so the
 * platform marks such responses and sends them unedited.
 */
import { type CacheDecision, createFacts, ORIGIN_HANDLE } from "../rules/mod.ts";
import { isClosed } from "./access/site_access.ts";
import { MAX_SECONDS } from "./cache/cache_control.ts";
import { FactsRequest } from "./cache/facts_request.ts";
import type { HttpCache } from "./cache/http_cache.ts";
import type { CachedResponse, CacheRequest } from "./cache/types.ts";
import { varyNames } from "./cache/vary.ts";
import { isSocketRequest } from "./compute/compute_request.ts";
import { pageRequest } from "./compute/page_request.ts";
import type { Destination } from "./destination.ts";
import { discardBody } from "./messages/body.ts";
import { findHeader, type Header, type HeaderList, joinedHeader } from "./messages/header_list.ts";
import { CLIENT_GONE, type Kept, type OriginResponse } from "./messages/messages.ts";
import type { Origin } from "./origin.ts";
import { planPipeline } from "./pipeline/plan.ts";
import { KEEP_FIELD } from "./request/client_request.ts";
import type { RequestContext } from "./request_context.ts";
import type { EdgeResponse } from "./response/edge_response.ts";
import type { Site } from "./site/site.ts";
import { targetOf } from "./site/route_target.ts";

type CacheRule = Extract<CacheDecision, { readonly type: "cache" }>;

/** Header fields whose values differ between visitors. */
const PERSONAL: ReadonlySet<string> = new Set(["cookie", "authorization"]);

/** Header fields in which the platform's cache reports hits and misses. */
const REPORTS: ReadonlySet<string> = new Set(["cache-status", "x-svc-cache"]);

/** Header fields that describe a single response, or that only the edge needs. */
const OF_ONE: ReadonlySet<string> = new Set([...REPORTS, KEEP_FIELD, "vary", "x-svc-request-id"]);

const DEPLOYMENT = "x-svc-deployment";

/** The rule for responses that are stored because routes or servers declare them cacheable. */
const BY_DEPLOYMENT: CacheRule = {
  type: "cache",
  rule: { id: "", index: -1 },
  ttlSeconds: 0,
  swrSeconds: 0,
  vary: [],
  varyNames: { headers: [], cookies: [], query: [] },
};

/** Returns the cache terms of a stored response, as a `Cache-Control` value. */
function controlOf({ terms }: Kept): string {
  const seconds = (value: number) => Math.min(MAX_SECONDS, Math.floor(value));
  const { lifetime, staleWhileRevalidate, staleIfError, mustRevalidate } = terms;
  const directives = [
    `max-age=${seconds(lifetime)}`,
    `stale-while-revalidate=${seconds(staleWhileRevalidate)}`,
    `stale-if-error=${seconds(staleIfError)}`,
  ];
  if (terms.sharedWithAuthorized) directives.push("public");
  if (mustRevalidate) {
    // Only `s-maxage` leaves a response its own stale times.
    const isStaleAllowed = staleWhileRevalidate > 0 || staleIfError > 0;
    directives.push(isStaleAllowed ? `s-maxage=${seconds(lifetime)}` : "proxy-revalidate");
  }
  return directives.join(", ");
}

/**
 * On the platform, converts a response to the form that a front edge may store. Returns `undefined`
 * if the response is stale or meant for one visitor only.
 */
export function forEdgeCache(
  { clientRequest, site, pin, limits }: RequestContext,
  response: EdgeResponse,
  cache: Pick<HttpCache, "noteCopy">,
): EdgeResponse | undefined {
  const { kept, headers } = response;
  if (kept === undefined || !clientRequest.isForEdgeCache) return undefined;
  const { terms, tags, vary } = kept;
  const isOfOne = pin !== undefined || limits !== undefined || site.side !== undefined ||
    (site.gate !== undefined && isClosed(site.gate));
  if (isOfOne || terms.noCache || findHeader(headers, "set-cookie") !== undefined) return undefined;
  if (findHeader(headers, "x-svc-cache") !== "HIT") return undefined;
  const named = varyNames(headers);
  // Every cache selects encoded content by `Accept-Encoding`, even if `Vary` does not say so.
  const isSelectable =
    vary.every(({ name }) => name === "accept-encoding" || named.includes(name)) &&
    !named.some((name) => PERSONAL.has(name));
  if (!isSelectable) return undefined;
  const own: Header[] = [
    // The runtime can add values to `Vary`, so the original value is sent in a separate field.
    [KEEP_FIELD, joinedHeader(headers, "vary") ?? ""],
    ["svc-cdn-cache-control", controlOf(kept)],
  ];
  if (tags.length > 0) own.push(["svc-cache-tag", tags.join(",")]);
  const { host, path, rawQuery } = clientRequest;
  cache.noteCopy({ deploymentId: site.deploymentId, host, path, rawQuery });
  return { ...response, headers: [...headers, ...own] };
}

/** A request whose response can be stored by the edge, and the rule that applies. */
interface CacheableRequest {
  readonly request: CacheRequest;
  readonly rule: CacheRule;
  /** Whether the request bypasses request collapsing, because its response is rarely stored. */
  readonly isAlone: boolean;
}

/**
 * Converts a request to a cache request. Returns `undefined` if only the platform can handle the
 * request.
 */
function askedOf(
  context: RequestContext,
  decided: EdgeResponse | Destination,
): CacheableRequest | undefined {
  const { clientRequest, site, decision: { cache, pipeline, rewrite } } = context;
  if (context.lacksLimits || clientRequest.lacksPlace || isSocketRequest(clientRequest)) {
    return undefined;
  }
  if (decided !== "dynamic" && decided !== "route") return undefined;
  if (/no-store|only-if-cached/i.test(clientRequest.header("cache-control") ?? "")) {
    return undefined;
  }
  if (cache?.type === "bypass") return undefined;
  // The edge has no location data.
  if (cache?.vary.some((name) => name === "geo" || name === "asn") === true) return undefined;
  const plan = pipeline && planPipeline(pipeline.steps);
  if (plan?.runsBeforeCache === true) return undefined;
  const target = targetOf(context);
  const page = pageRequest(clientRequest, target);
  if (cache === undefined && page.isPrivate) return undefined;
  const upstream = rewrite?.type === "external" ? rewrite.url : "";
  const resolution = site.content.resolve("GET", target.path);
  return {
    request: new FactsRequest(context.facts ?? createFacts(clientRequest), {
      deploymentId: site.deploymentId,
      // A response that was stored because of a rule must not reach visitors for whom no rule
      // matches.
      originKey: `${cache === undefined ? "own" : "rule"} ${plan?.handle ?? ORIGIN_HANDLE} ` +
        `${page.key} ${upstream}`,
      path: cache === undefined ? target.path : undefined,
    }),
    rule: cache ?? BY_DEPLOYMENT,
    isAlone: cache === undefined && site.images?.styleOf(target.path) === undefined &&
      !(resolution.type === "compute" && (resolution.route.revalidate ?? 0) > 0),
  };
}

/** Converts a response that the edge may store to the form that the cache reads. */
function asKept(
  { status, headers, body }: EdgeResponse,
  vary: string,
  site: Site,
): OriginResponse {
  const common = new Set(site.common.map(([name]) => name));
  const fields = headers.filter(([name]) => !OF_ONE.has(name) && !common.has(name));
  return { status, headers: vary === "" ? fields : [...fields, ["vary", vary]], body };
}

/** Whether a response comes from the deployment that the edge has loaded. */
function isOf({ common }: Site, { headers }: EdgeResponse): boolean {
  return findHeader(headers, DEPLOYMENT) === findHeader(common, DEPLOYMENT);
}

/** A response, and whether the platform has already applied the header rules to it. */
interface EdgeAnswer {
  readonly response: EdgeResponse;
  readonly isFinal: boolean;
}

/** One request that goes through the cache of a front edge. */
class EdgeCacheRequest {
  /** The platform's response, if it is meant for this visitor only. */
  #final: EdgeResponse | undefined;
  /** The header fields in which the platform's cache reports hits and misses. */
  #reports: HeaderList = [];
  #isAnswered = false;

  constructor(
    readonly context: RequestContext,
    readonly origin: Origin,
  ) {}

  /** Sends the request to the platform. Responses that must not be stored bypass the cache. */
  async fetch(isRefresh: boolean): Promise<OriginResponse> {
    const { clientRequest, site } = this.context;
    const mayKeep = isRefresh ? "refresh" : "visit";
    let response = await this.origin.ask(clientRequest, mayKeep, () => this.#signal());
    const vary = findHeader(response.headers, KEEP_FIELD);
    if (vary !== undefined && isOf(site, response)) {
      this.#reports = response.headers.filter(([name]) => REPORTS.has(name));
      return asKept(response, vary, site);
    }
    if (vary !== undefined && !isRefresh) {
      // The platform already serves a different deployment, which has different rules.
      discardBody(response.body);
      response = await this.origin.ask(clientRequest);
    }
    if (this.#isAnswered) discardBody(response.body);
    else this.#final = response;
    // If the client disconnects before the platform responds, the stale response must not be
    // removed.
    const failed = response.status === CLIENT_GONE ? 503 : response.status;
    const status = failed >= 500 ? failed : 200;
    return { status, headers: [], body: null, isCurrent: true };
  }

  /**
   * Returns a signal that is aborted when the client disconnects, unless the client already got a
   * stale response that is being refreshed.
   */
  #signal(): AbortSignal {
    const gone = new AbortController();
    const { signal } = this.context.clientRequest;
    const leave = () => {
      if (!this.#isAnswered || this.#final !== undefined) gone.abort();
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    return gone.signal;
  }

  finish({ status, headers, body, bytes, result }: CachedResponse): EdgeAnswer {
    this.#isAnswered = true;
    if (this.#final !== undefined && result !== "STALE") {
      return { response: this.#final, isFinal: true };
    }
    discardBody(this.#final?.body ?? null);
    const { common } = this.context.site;
    const own = this.#reports.length === 0 || result === "HIT" || result === "STALE"
      ? headers
      : [...headers.filter(([name]) => !REPORTS.has(name)), ...this.#reports];
    return { response: { status, headers: [...own, ...common], body, bytes }, isFinal: false };
  }
}

/**
 * Responds from the cache of a front edge, or from the platform. Returns `undefined` if the request
 * bypasses the cache.
 */
export function respondFromEdgeCache(
  context: RequestContext,
  decided: EdgeResponse | Destination,
  { origin, cache }: { readonly origin: Origin; readonly cache: HttpCache },
): EdgeAnswer | Promise<EdgeAnswer> | undefined {
  const asked = askedOf(context, decided);
  if (asked === undefined) return undefined;
  const { request, rule, isAlone } = asked;
  const through = new EdgeCacheRequest(context, origin);
  const answer = cache.handle(request, {
    rule,
    isAlone,
    fetchOrigin: (how) => through.fetch(how.type === "for_cache" && how.isRefresh),
    waitUntil: () => {},
  });
  return answer instanceof Promise
    ? answer.then((made) => through.finish(made))
    : through.finish(answer);
}
