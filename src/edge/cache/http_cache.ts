/**
 * @module The `cache` and `bypass_cache` actions: a shared HTTP cache as RFC 9111 and RFC 5861
 * describe it, in front of any origin. `docs/caching.md` explains its behavior. The edge uses it
 * like this:
 *
 * ```ts
 * const cache = createHttpCache({ now });
 *
 * // If `decision.cache` is set and an external proxy, a function or a server responds:
 * const response = await cache.handle(
 *   new FactsRequest(facts, {
 *     deploymentId: site.deploymentId,
 *     // Includes what the proxy sends as X-Forwarded-*. Otherwise, a response to a Host
 *     // with an odd port, or a redirect to https, would be stored for everyone.
 *     originKey: `${scheme}://${authority} ${rewrittenUrl}`,
 *   }),
 *   {
 *     rule: decision.cache,
 *     // "as_is": the unchanged request; "for_cache": a GET without the fields in
 *     // `without`, with `conditions` added, and not bound to the client's signal.
 *     // It must be sent with the normalized path, which is in the key.
 *     fetchOrigin: (how) => proxy.fetch(clientRequest, how),
 *     waitUntil: (work) => background.add(work),
 *   },
 * );
 *
 * // An unsafe request without a rule: cache.invalidate(request, response)
 * // Deploy, rollback, deletion:       cache.purge(deploymentId, { type: "all" })
 * // POST /v1/projects/{id}/purge:     cache.purge(id, { type: "prefix", prefix: "/blog/" })
 * ```
 */
import type { PurgeScope, ResourceUri } from "../../feed/mod.ts";
import { checkOnce, type HeaderList } from "../messages/header_list.ts";
import { KeptBodies } from "../messages/kept_bodies.ts";
import {
  type CacheContext,
  type ForwardDecision,
  type HandleOptions,
  serveStored,
} from "./cache_context.ts";
import { cacheKey } from "./cache_key.ts";
import { type CacheReport, withReport } from "./cache_status.ts";
import { CacheStore, type Entry } from "./cache_store.ts";
import { decideLookup, type ForwardReason, selectStored, validators } from "./decide_lookup.ts";
import type { ResponseHead } from "./decide_store.ts";
import { knownBytes } from "./deliver.ts";
import {
  awaitOutcome,
  type FetchOutcome,
  type InFlightRequest,
  InFlightRequests,
  systemTimer,
} from "./in_flight_requests.ts";
import { invalidatedUris } from "./invalidation.ts";
import {
  DEFAULT_CAPACITY_BYTES,
  DEFAULT_COLLAPSE_MILLISECONDS,
  DEFAULT_MAX_ENTRY_BYTES,
  type HttpCacheOptions,
} from "./http_cache_options.ts";
import { OriginFetcher } from "./origin_fetcher.ts";
import { UriMarks } from "./uri_marks.ts";
import { outgoingHeaders, responseFrom } from "./stored_response.ts";
import type { CachedResponse, CacheReader, CacheRequest } from "./types.ts";

export interface PurgeOptions {
  /**
   * Whether purged responses can be served stale while they are refreshed, if the responses allow
   * this.
   */
  readonly soft?: boolean;
}

const FRESH_HIT: CacheReport = { result: "HIT", hit: true };
const STALE_HIT: CacheReport = { result: "STALE", hit: true };
const UNAVAILABLE: CacheReport = { result: "MISS", detail: "only-if-cached" };

export class HttpCache {
  readonly #options:
    & Required<Omit<HttpCacheOptions, "onError" | "textBytes">>
    & Pick<HttpCacheOptions, "onError">;
  readonly #store: CacheStore;
  readonly #inFlightRequests = new InFlightRequests();
  readonly #origin: OriginFetcher;
  readonly #copies = new UriMarks();
  #tellOthers: (uris: readonly ResourceUri[]) => void = () => {};

  constructor(options: HttpCacheOptions) {
    this.#options = {
      now: options.now,
      capacityBytes: options.capacityBytes ?? DEFAULT_CAPACITY_BYTES,
      maxEntryBytes: options.maxEntryBytes ?? DEFAULT_MAX_ENTRY_BYTES,
      collapseMilliseconds: options.collapseMilliseconds ?? DEFAULT_COLLAPSE_MILLISECONDS,
      timer: options.timer ?? systemTimer,
      clientsMayRevalidate: options.clientsMayRevalidate ?? false,
      onError: options.onError,
    };
    const { now, maxEntryBytes, capacityBytes, timer } = this.#options;
    this.#store = new CacheStore(capacityBytes, new KeptBodies(options.textBytes));
    this.#origin = new OriginFetcher({
      now,
      maxEntryBytes,
      store: this.#store,
      inFlightRequests: this.#inFlightRequests,
      timer,
    });
  }

  /** Number of bytes in use, which is never above the capacity. */
  get byteLength(): number {
    return this.#store.byteLength;
  }

  get size(): number {
    return this.#store.size;
  }

  /**
   * Removes a deployment's responses, or marks them as stale with `soft`. Discards responses that
   * are being fetched. Returns the number of stored responses that were affected.
   */
  purge(deploymentId: string, scope: PurgeScope, { soft = false }: PurgeOptions = {}): number {
    return this.#store.purge(deploymentId, scope, soft ? this.#options.now() : undefined);
  }

  /** Removes everything. */
  clear(): void {
    this.#store.clear();
  }

  /**
   * Removes the stored responses that an unsafe request invalidates. `handle()` already does this
   * itself.
   */
  invalidate(
    request: Pick<CacheRequest, "method" | keyof ResourceUri>,
    response: ResponseHead,
  ): void {
    const uris = invalidatedUris(request, response);
    // URIs without a stored response are omitted, because visitors must not cause work on other
    // nodes.
    const meant = uris.filter((uri) => this.#store.invalidate(uri) > 0 || this.#copies.has(uri));
    if (meant.length > 0) this.#tellOthers(meant);
  }

  /**
   * Records that another cache may have stored a response, and that it may keep the response longer
   * than this cache.
   */
  noteCopy(uri: ResourceUri): void {
    this.#copies.add(uri);
  }

  /** Removes the responses that an unsafe request invalidated on another node. */
  repeatInvalidation(uris: readonly ResourceUri[]): void {
    for (const uri of uris) this.#store.invalidate(uri);
  }

  /** Registers a callback for the URIs that unsafe requests invalidate on this node. */
  onInvalidation(tell: (uris: readonly ResourceUri[]) => void): void {
    this.#tellOthers = tell;
  }

  /**
   * Returns the fresh response stored under a key, as `handle()` would return it. Returns
   * `undefined` if `handle()` would have to do more than that.
   */
  fresh(key: string, request: CacheReader, common: HeaderList): CachedResponse | undefined {
    const { clientsMayRevalidate } = this.#options;
    const now = this.#options.now();
    const candidates = this.#store.candidates(key);
    if (candidates.length === 0) return undefined;
    const decision = decideLookup(request, candidates, { now, clientsMayRevalidate });
    if (decision.type !== "fresh") return undefined;
    return this.#serveFresh(decision.stored, request, { common, now });
  }

  /**
   * Serves a request from the store or with `fetchOrigin`, synchronously if the response is stored.
   * Rejects with the error of `fetchOrigin`, unless a stale response may be served instead.
   */
  handle(request: CacheRequest, options: HandleOptions): CachedResponse | Promise<CachedResponse> {
    const { rule } = options;
    if (rule.type === "bypass") return this.#pass(request, options, "bypass");
    const context: CacheContext = { request, rule, key: cacheKey(request, rule), options };
    const { clientsMayRevalidate } = this.#options;
    const now = this.#options.now();
    const candidates = this.#store.candidates(context.key);
    const decision = decideLookup(request, candidates, { now, clientsMayRevalidate });
    switch (decision.type) {
      case "fresh":
        return this.#serveFresh(decision.stored, request, { common: options.common ?? [], now });
      case "stale":
        if (decision.refresh) this.#refresh(context, decision.stored);
        decision.stored.used = true;
        return serveStored(decision.stored, request, { now, report: STALE_HIT });
      case "unavailable": {
        const headers = withReport([["cache-control", "no-store"]], UNAVAILABLE);
        return { status: 504, headers, body: null, bytes: 0, result: "MISS" };
      }
      case "pass":
        return this.#pass(request, options, decision.forward);
      default:
        return this.#fetch(context, decision);
    }
  }

  #serveFresh(
    entry: Entry,
    request: CacheReader,
    { common, now }: { readonly common: HeaderList; readonly now: number },
  ): CachedResponse {
    entry.used = true;
    const second = Math.floor(now / 1000);
    if (entry.hit?.second !== second) {
      const headers = [...outgoingHeaders(entry, now, FRESH_HIT), ...common];
      entry.hit = { second, headers: checkOnce(headers) };
    }
    return responseFrom(entry, request, { headers: entry.hit.headers, result: "HIT" });
  }

  async #pass(
    request: CacheRequest,
    options: HandleOptions,
    forward: ForwardReason,
  ): Promise<CachedResponse> {
    const response = await options.fetchOrigin({ type: "as_is" });
    this.invalidate(request, response);
    const isMiss = forward === "uri-miss" || forward === "vary-miss" || forward === "stale";
    const result = isMiss ? "MISS" : "BYPASS";
    const headers = withReport(response.headers, {
      result,
      forward,
      forwardStatus: response.status,
    });
    return { ...response, headers, bytes: knownBytes(response), result };
  }

  /** Waits for a response that is already being fetched, or fetches one. */
  async #fetch(context: CacheContext, lookup: ForwardDecision): Promise<CachedResponse> {
    const { request, key } = context;
    const now = this.#options.now();
    const isAlone = context.options.isAlone === true ||
      request.header("authorization") !== undefined ||
      this.#inFlightRequests.isHitForMiss(key, now);
    if (isAlone) return await this.#origin.fetch(context, lookup);
    const inFlight = this.#inFlightRequests.find(key);
    if (inFlight === undefined) {
      return await this.#origin.fetch(context, lookup, {
        inFlight: this.#inFlightRequests.start(key, now),
      });
    }
    const { collapseMilliseconds: milliseconds, timer } = this.#options;
    const outcome = await awaitOutcome(inFlight, { milliseconds, timer });
    return this.#share(context, lookup, { inFlight, outcome }) ??
      await this.#origin.fetch(context, lookup);
  }

  /**
   * Returns the response that another request fetched, if this client may get it. The response's
   * age does not matter, because the response was generated or validated after this request
   * arrived.
   */
  #share(
    { request, key }: CacheContext,
    lookup: ForwardDecision,
    { inFlight, outcome }: {
      readonly inFlight: InFlightRequest;
      readonly outcome: FetchOutcome | undefined;
    },
  ): CachedResponse | undefined {
    switch (outcome?.type) {
      case "stored": {
        const stored = selectStored(request, this.#store.candidates(key));
        if (stored === undefined || stored.responseTime < inFlight.startedAt) return undefined;
        stored.used = true;
        const report: CacheReport = { result: "HIT", forward: lookup.forward, collapsed: true };
        return serveStored(stored, request, { now: this.#options.now(), report });
      }
      case "failed":
        return this.#origin.serveStaleOnError(request, lookup, { ...outcome, collapsed: true });
      case "error":
        throw outcome.error;
      default:
        return undefined;
    }
  }

  /** Starts one refresh for all clients. In the meantime, they get the stale response. */
  #refresh(context: CacheContext, stored: Entry): void {
    const inFlight = this.#inFlightRequests.start(context.key, this.#options.now());
    if (inFlight === undefined) return;
    const conditions = validators(stored);
    const lookup: ForwardDecision = { type: "revalidate", stored, conditions, forward: "stale" };
    const work = this.#origin.fetch(context, lookup, { inFlight, background: true });
    context.options.waitUntil(work.catch((error) => this.#options.onError?.(error)));
  }
}

/** Creates a cache. One cache serves all sites of the process. */
export function createHttpCache(options: HttpCacheOptions): HttpCache {
  return new HttpCache(options);
}
