/**
 * @module Fetches from the origin and carries out the decision about the response: stores it,
 * freshens the stored response, serves a stale response, or passes it through.
 */
import type { Clock } from "../../lib/clock.ts";
import { type BodyStream, discardBody, isStream } from "../messages/body.ts";
import { findHeader } from "../messages/header_list.ts";
import type { OriginResponse } from "../messages/messages.ts";
import { type CacheContext, type ForwardDecision, serveStored } from "./cache_context.ts";
import { CacheFill } from "./cache_fill.ts";
import type { CacheReport } from "./cache_status.ts";
import type { CacheStore, PendingInsert } from "./cache_store.ts";
import { weaklyMatches } from "./conditions.ts";
import { mayServeStaleOnError } from "./decide_lookup.ts";
import { decideStore, type StoreDecision } from "./decide_store.ts";
import { contentLength, deliver } from "./deliver.ts";
import type { ExchangeTimes } from "./freshness.ts";
import type {
  FetchOutcome,
  InFlightRequest,
  InFlightRequests,
  Timer,
} from "./in_flight_requests.ts";
import { resourceUriOf } from "./invalidation.ts";
import { NOT_FORWARDED } from "./origin_request.ts";
import { freshenedHeaders } from "./stored_headers.ts";
import { makeStored } from "./stored_response.ts";
import type { CachedResponse, CacheRequest, StoredResponse } from "./types.ts";

/** One request to the origin, for a client or in the background. */
interface OriginFetch {
  readonly context: CacheContext;
  readonly lookup: ForwardDecision;
  readonly pending: PendingInsert;
  readonly inFlight: InFlightRequest | undefined;
  /** Whether this is a background refresh, which has no client. */
  readonly background: boolean;
}

type Storable = Extract<StoreDecision, { readonly type: "store" }>;

/** How long a stale response is served while its origin cannot be reached, in seconds. */
const DISCONNECTED_SECONDS = 3600;

/** Statuses that count as a failure of the origin (RFC 5861, 4). */
const FAILURES = new Set([500, 502, 503, 504]);

interface OriginFetcherOptions {
  readonly now: Clock;
  readonly maxEntryBytes: number;
  readonly store: CacheStore;
  readonly inFlightRequests: InFlightRequests;
  readonly timer: Timer;
}

export class OriginFetcher {
  readonly #now: Clock;
  readonly #store: CacheStore;
  readonly #inFlightRequests: InFlightRequests;

  readonly #options: OriginFetcherOptions;

  constructor(options: OriginFetcherOptions) {
    this.#options = options;
    this.#now = options.now;
    this.#store = options.store;
    this.#inFlightRequests = options.inFlightRequests;
  }

  /** Fetches from the origin. Always settles the in-flight request. */
  async fetch(
    context: CacheContext,
    lookup: ForwardDecision,
    { inFlight, background = false }: {
      readonly inFlight?: InFlightRequest | undefined;
      readonly background?: boolean;
    } = {},
  ): Promise<CachedResponse> {
    const pending = this.#store.beginInsert(resourceUriOf(context.request));
    const originFetch: OriginFetch = { context, lookup, pending, inFlight, background };
    try {
      return await this.#run(originFetch);
    } catch (error) {
      this.#settle(originFetch, { type: "error", error });
      throw error;
    }
  }

  /** Returns the stale response that may be served instead of a failed one, if any. */
  serveStaleOnError(
    request: CacheRequest,
    lookup: ForwardDecision,
    failure: {
      readonly unreachable: boolean;
      readonly status?: number | undefined;
      readonly collapsed?: boolean;
    },
  ): CachedResponse | undefined {
    const { unreachable, status, collapsed = false } = failure;
    const now = this.#now();
    if (
      lookup.type !== "revalidate" ||
      !mayServeStaleOnError(request, lookup.stored, {
        now,
        unreachable,
        disconnectedSeconds: DISCONNECTED_SECONDS,
      })
    ) {
      return undefined;
    }
    const report: CacheReport = {
      result: "STALE",
      forward: lookup.forward,
      collapsed,
      detail: "stale-if-error",
      forwardStatus: status,
    };
    return serveStored(lookup.stored, request, { now, report });
  }

  #settle({ pending, inFlight }: OriginFetch, outcome: FetchOutcome): void {
    this.#store.endInsert(pending);
    inFlight?.settle(outcome);
  }

  async #run(originFetch: OriginFetch): Promise<CachedResponse> {
    const { context, lookup, background } = originFetch;
    const requestTime = this.#now();
    let response: OriginResponse;
    try {
      response = await context.options.fetchOrigin({
        type: "for_cache",
        without: NOT_FORWARDED,
        conditions: lookup.type === "revalidate" ? lookup.conditions : [],
        isRefresh: background,
      });
    } catch (error) {
      const stale = this.serveStaleOnError(context.request, lookup, {
        unreachable: true,
      });
      if (stale === undefined || background) throw error;
      this.#settle(originFetch, { type: "failed", unreachable: true });
      return stale;
    }
    const times: ExchangeTimes = { requestTime, responseTime: this.#now() };
    if (response.status === 304) return await this.#revalidated(originFetch, response, times);
    if (FAILURES.has(response.status)) {
      const { status } = response;
      const stale = this.serveStaleOnError(context.request, lookup, {
        unreachable: false,
        status,
      });
      if (stale !== undefined) {
        discardBody(response.body);
        this.#settle(originFetch, { type: "failed", unreachable: false });
        return stale;
      }
      // Keeps the stale response, because it is still within its stale-while-revalidate time.
      if (background) return this.#passThrough(originFetch, response, "origin-failure");
    }
    return await this.#storeOrPass(originFetch, response, times);
  }

  /** Handles a 304: the stored response is still valid (RFC 9111, 4.3.4). */
  async #revalidated(
    originFetch: OriginFetch,
    response: OriginResponse,
    times: ExchangeTimes,
  ): Promise<CachedResponse> {
    const { context, lookup } = originFetch;
    const { request, rule } = context;
    discardBody(response.body);
    if (lookup.type === "miss" || lookup.conditions.length === 0) {
      throw new TypeError("Cannot use the origin's 304: the request had no condition");
    }
    const { stored } = lookup;
    const { body } = stored;
    const etag = findHeader(response.headers, "etag");
    const isAnother = etag !== undefined && !weaklyMatches(etag, stored.etag);
    if (isAnother) {
      return await this.#run({ ...originFetch, lookup: { type: "miss", forward: "uri-miss" } });
    }
    const head = {
      status: stored.status,
      isCurrent: response.isCurrent,
      headers: freshenedHeaders(stored.headers, response.headers),
    };
    const decision = decideStore(request, head, { rule, times });
    if (decision.type === "pass") {
      this.#store.remove(stored);
      return this.#passThrough(originFetch, { ...head, body }, decision.reason);
    }
    const fresh = makeStored(head, {
      request,
      decision,
      responseTime: times.responseTime,
      body,
    });
    return this.#keep(originFetch, fresh, { result: "HIT", forwardStatus: 304 });
  }

  async #storeOrPass(
    originFetch: OriginFetch,
    response: OriginResponse,
    times: ExchangeTimes,
  ): Promise<CachedResponse> {
    const { request, rule } = originFetch.context;
    const decision = decideStore(request, response, { rule, times });
    if (decision.type === "pass") return this.#passThrough(originFetch, response, decision.reason);
    if ((contentLength(response.headers) ?? 0) > this.#options.maxEntryBytes) {
      return this.#passThrough(originFetch, response, "too-large");
    }
    const { responseTime } = times;
    const { body } = response;
    if (isStream(body)) {
      return await this.#keepWhileSending(originFetch, { ...response, body }, {
        decision,
        responseTime,
      });
    }
    if ((body?.length ?? 0) > this.#options.maxEntryBytes) {
      return this.#passThrough(originFetch, response, "too-large");
    }
    const fresh = makeStored(response, { request, decision, responseTime, body: body ?? "" });
    return this.#keep(
      originFetch,
      fresh,
      { result: "MISS", forwardStatus: response.status },
      response,
    );
  }

  /**
   * Stores a complete response and serves it. For a new response, the client receives all fields
   * from the origin.
   */
  #keep(
    originFetch: OriginFetch,
    fresh: StoredResponse,
    outcome: Pick<CacheReport, "result" | "forwardStatus">,
    response?: OriginResponse,
  ): CachedResponse {
    const { context, lookup } = originFetch;
    const { request, key } = context;
    const entry = this.#store.put(fresh, { key, pending: originFetch.pending, request });
    const stored = entry !== undefined;
    this.#inFlightRequests.setHitForMiss(key, !stored, this.#now());
    this.#settle(originFetch, { type: stored ? "stored" : "not_stored" });
    const report: CacheReport = { ...outcome, forward: lookup.forward, stored };
    if (response !== undefined) {
      // The store may keep the body in a form that can be sent without a copy.
      const { body } = entry ?? fresh;
      return this.#deliver(originFetch, { ...response, body }, report);
    }
    return serveStored(fresh, request, { now: this.#now(), report });
  }

  async #keepWhileSending(
    originFetch: OriginFetch,
    response: OriginResponse & { readonly body: BodyStream },
    facts: { readonly decision: Storable; readonly responseTime: number },
  ): Promise<CachedResponse> {
    const { context, lookup, background } = originFetch;
    const { request, key, options } = context;
    const fill = new CacheFill(response.body, {
      limit: this.#options.maxEntryBytes,
      expectedBytes: contentLength(response.headers),
      reserve: (bytes) => this.#store.reserve(bytes),
      release: (bytes) => this.#store.release(bytes),
      timer: this.#options.timer,
    });
    const kept = fill.done.then((body) => {
      if (body !== undefined) fill.release();
      const fresh = body === undefined
        ? undefined
        : makeStored(response, { request, ...facts, body });
      const where = { key, pending: originFetch.pending, request };
      const entry = fresh === undefined ? undefined : this.#store.put(fresh, where);
      this.#inFlightRequests.setHitForMiss(key, entry === undefined, this.#now());
      this.#settle(originFetch, { type: entry === undefined ? "not_stored" : "stored" });
    });
    const report: CacheReport = {
      result: "MISS",
      forward: lookup.forward,
      forwardStatus: response.status,
      stored: true,
    };
    if (background) await kept;
    else options.waitUntil(kept);
    return this.#deliver(originFetch, response, report, () => fill.stream());
  }

  /** Passes on a response that is for this client only. */
  #passThrough(originFetch: OriginFetch, response: OriginResponse, reason: string): CachedResponse {
    const { context, lookup } = originFetch;
    if (lookup.type === "revalidate" && !FAILURES.has(response.status)) {
      this.#store.remove(lookup.stored);
    }
    this.#inFlightRequests.setHitForMiss(context.key, true, this.#now());
    this.#settle(originFetch, { type: "not_stored" });
    return this.#deliver(originFetch, response, {
      result: "MISS",
      forward: lookup.forward,
      forwardStatus: response.status,
      detail: reason,
    });
  }

  #deliver(
    { context, background }: OriginFetch,
    response: OriginResponse,
    report: CacheReport,
    openBody?: () => BodyStream,
  ): CachedResponse {
    return deliver(context.request, response, { report, background, now: this.#now(), openBody });
  }
}
