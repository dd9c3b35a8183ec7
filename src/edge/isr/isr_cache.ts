/**
 * @module Incremental static regeneration (ISR). Stores servers' pages for a route's `revalidate`
 * seconds, or for as long as the pages' own header fields allow. Serves stale pages while a single
 * request refreshes them, and keeps pages across restarts. `docs/isr.md` and `docs/caching.md`
 * explain this to authors.
 */
import type { Clock } from "../../lib/clock.ts";
import type { CachedResponse, StoredResponse, VaryField } from "../cache/types.ts";
import type { CacheReport } from "../cache/cache_status.ts";
import { matchesVary, varyValue } from "../cache/vary.ts";
import { outgoingHeaders, responseFrom } from "../cache/stored_response.ts";
import type { PurgeOptions } from "../cache/http_cache.ts";
import type { PurgeScope } from "../../feed/mod.ts";
import { remainingLifetime } from "../cache/freshness.ts";
import { systemTimer, type Timer } from "../cache/in_flight_requests.ts";
import type { OriginResponse } from "../messages/messages.ts";
import { decideDeclared } from "./decide_declared.ts";
import type { PageContext, PageOptions } from "./page_context.ts";
import { PageFetcher, serveStored } from "./page_fetcher.ts";
import { unstoredResponse } from "./unstored_response.ts";
import { PageTiers, type PageTiersOptions } from "./page_tiers.ts";
import type { IsrEntry, PageRequest, Requested } from "./types.ts";

interface IsrCacheOptions extends PageTiersOptions {
  readonly now: Clock;
  readonly timer?: Timer;
}

const FRESH: CacheReport = { result: "HIT", hit: true };
const STALE: CacheReport = { result: "STALE", hit: true };

type Freshness = "fresh" | "stale" | "expired";

/**
 * Returns the freshness of a page. If the clock was set back, the age of the page is unknown, so
 * the page is not fresh.
 */
function freshnessOf(stored: StoredResponse, now: number): Freshness {
  const remaining = remainingLifetime(stored, now);
  if (remaining > 0 && now >= stored.responseTime) return "fresh";
  return -remaining < stored.terms.staleWhileRevalidate ? "stale" : "expired";
}

/** Returns the request for the page variant that these request headers select. */
function variantRequest(request: PageRequest, vary: readonly VaryField[]): PageRequest {
  const values = vary.map(({ name }) => [name, varyValue(name, request)]);
  return { ...request, key: `${request.key} ${JSON.stringify(values)}`, hasQuery: true };
}

function hasSameFields(left: readonly VaryField[], right: readonly VaryField[]): boolean {
  return left.length === right.length && left.every(({ name }, at) => name === right[at]?.name);
}

export class IsrCache {
  readonly #now: Clock;
  readonly #pages: PageTiers;
  readonly #fetcher: PageFetcher;

  constructor(options: IsrCacheOptions) {
    this.#now = options.now;
    this.#pages = new PageTiers(options);
    this.#fetcher = new PageFetcher({
      ...options,
      timer: options.timer ?? systemTimer,
      pages: this.#pages,
    });
  }

  /**
   * Serves a `GET` or `HEAD` on a route with `revalidate`. The result is synchronous if the page is
   * in memory. Rejects with the errors of `fetchShared` and `fetchPrivate`.
   */
  handle(request: PageRequest, options: PageOptions): CachedResponse | Promise<CachedResponse> {
    const context: PageContext = { request, options };
    if (request.isPrivate) return this.#fetcher.fetchPrivate(context);
    const page = this.#pages.inMemory(request.key);
    return page === undefined ? this.#readOrFetch(context) : this.#serve(context, page);
  }

  /** Whether `find()` can find anything. If false, requests do not call `find()`. */
  get mayHaveDeclared(): boolean {
    return this.#pages.mayHaveDeclared;
  }

  /**
   * Returns the stored page whose response declared itself cacheable, if there is one. The result
   * is synchronous if the page is in memory.
   */
  find(
    request: PageRequest,
    options: PageOptions,
  ): CachedResponse | Promise<CachedResponse | undefined> | undefined {
    if (request.isPrivate) return undefined;
    const first = this.#pages.inMemory(request.key);
    return first === undefined
      ? this.#readAndServe({ request, options })
      : this.#serveVariant({ request, options }, first);
  }

  /** Captures the state at the time of a request, for `offer()`. */
  requested(): Requested {
    return this.#pages.requested(this.#now());
  }

  /**
   * Stores the response to a client's own request if it declares itself cacheable. Returns the
   * client's response, without the headers for this cache.
   */
  offer(
    context: PageContext,
    response: OriginResponse,
    requested: Requested,
  ): OriginResponse {
    const { request, options } = context;
    const decision = decideDeclared(response, {
      request,
      askedAt: requested.at,
      stores404: options.stores404,
      isShared: false,
    });
    if (decision.type !== "store") {
      return unstoredResponse(request, response, { decision, now: requested.at });
    }
    const first = this.#pages.inMemory(request.key)?.stored;
    const isVariant = first !== undefined && hasSameFields(first.vary, decision.vary) &&
      !matchesVary(first, request);
    const stored = isVariant ? variantRequest(request, decision.vary) : request;
    return this.#fetcher.offer({ request: stored, options }, response, { decision, requested });
  }

  /**
   * Removes pages, or marks them as stale with `soft`, including pages that are being fetched.
   * Returns the number of pages.
   */
  purge(scope: PurgeScope, options: PurgeOptions = {}): Promise<number> {
    return this.#pages.purge(scope, { ...options, at: this.#now() });
  }

  /**
   * Works like `purge()`, but for several scopes and at a constant cost. Requests after the call
   * never see these pages as fresh.
   */
  revalidate(scopes: readonly PurgeScope[], { soft = false }: PurgeOptions): Promise<void> {
    return this.#pages.mark(scopes, { soft, at: this.#now() });
  }

  async #readOrFetch(context: PageContext): Promise<CachedResponse> {
    const { request, options } = context;
    const page = await this.#pages.read(request, options.revalidateSeconds);
    return page === undefined ? await this.#fetcher.fetchOnce(context) : this.#serve(context, page);
  }

  async #readAndServe(context: PageContext): Promise<CachedResponse | undefined> {
    const { request, options } = context;
    await this.#pages.list();
    if (!this.#pages.mayHaveDeclared) return undefined;
    const page = await this.#pages.read(request, 0);
    return page === undefined ? undefined : await this.#serveVariant({ request, options }, page);
  }

  /** Serves the first page that is stored under a key, or the variant that the request selects. */
  #serveVariant(
    { request, options }: PageContext,
    first: IsrEntry,
  ): CachedResponse | Promise<CachedResponse | undefined> | undefined {
    if (matchesVary(first.stored, request)) return this.#serveShared({ request, options }, first);
    const context = { request: variantRequest(request, first.stored.vary), options };
    const page = this.#pages.inMemory(context.request.key);
    return page === undefined ? this.#readVariant(context) : this.#serveShared(context, page);
  }

  async #readVariant(context: PageContext): Promise<CachedResponse | undefined> {
    const page = await this.#pages.read(context.request, 0);
    return page === undefined ? undefined : await this.#serveShared(context, page);
  }

  /** Serves a page that matches the request. The client may have sent credentials. */
  #serveShared(
    context: PageContext,
    page: IsrEntry,
  ): CachedResponse | Promise<CachedResponse> | undefined {
    const { request } = context;
    const maySee = matchesVary(page.stored, request) &&
      (page.stored.terms.sharedWithAuthorized || request.header("authorization") === undefined);
    return maySee ? this.#serve(context, page) : undefined;
  }

  #serve(context: PageContext, page: IsrEntry): CachedResponse | Promise<CachedResponse> {
    const now = this.#now();
    switch (freshnessOf(page.stored, now)) {
      case "fresh": {
        const second = Math.floor(now / 1000);
        if (page.hit?.second !== second) {
          page.hit = { second, headers: outgoingHeaders(page.stored, now, FRESH) };
        }
        const { headers } = page.hit;
        return responseFrom(page.stored, context.request, { headers, result: "HIT" });
      }
      case "stale":
        this.#fetcher.refresh(context, page);
        return serveStored(context.request, page, { now, report: STALE });
      case "expired":
        return this.#fetcher.fetchOnce(context, page);
    }
  }
}
