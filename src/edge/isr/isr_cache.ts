/**
 * Incremental static regeneration (ISR): pages of servers that are stored for a
 * route's `revalidate` seconds, served stale while one request refreshes them, and
 * available again after a restart. `docs/isr.md` explains it to authors.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import type { ComputeRequest } from "../../runtime/mod.ts";
import {
  awaitOutcome,
  type CachedResponse,
  CacheFill,
  type CacheReport,
  contentLength,
  deliver,
  type InFlightRequest,
  InFlightRequests,
  outgoingHeaders,
  type PurgeScope,
  responseFrom,
  systemTimer,
  type Timer,
  withReport,
} from "../cache/mod.ts";
import { discardBody, type OriginResponse } from "../messages/mod.ts";
import { decidePage, type PageDecision } from "./decide_page.ts";
import { headersToStore, type PageRecord } from "./page_record.ts";
import { PageTiers, type PageTiersOptions } from "./page_tiers.ts";
import type { IsrEntry, PageRequest } from "./types.ts";

/** Largest body that is stored (10 MiB). */
export const MAX_PAGE_BYTES = 10 * 1024 * 1024;

/** How long the next refresh waits after one that failed, in milliseconds. */
export const RETRY_MILLISECONDS = 10_000;

/** How long a request waits for another's response before it is sent itself, in milliseconds. */
export const COLLAPSE_MILLISECONDS = 30_000;

export interface IsrCacheOptions extends PageTiersOptions {
  readonly now: Clock;
  readonly timer?: Timer;
}

export interface PageOptions {
  /** Seconds for which a page is fresh. */
  readonly revalidateSeconds: number;
  /** Whether a 404 is stored. */
  readonly stores404: boolean;
  /** Fetches the page for all visitors; a rejection means that the server could not answer. */
  fetchShared(request: ComputeRequest): Promise<OriginResponse>;
  /** Fetches the page for this client, with the client's own header fields. */
  fetchPrivate(): Promise<OriginResponse>;
}

const FRESH: CacheReport = { result: "HIT", hit: true };
const STALE: CacheReport = { result: "STALE", hit: true };
const COLLAPSED: CacheReport = { result: "HIT", forward: "uri-miss", collapsed: true };
const BYPASS: CacheReport = { result: "BYPASS", forward: "bypass" };

/** A request and how its page is fetched. */
interface PageContext {
  readonly request: PageRequest;
  readonly options: PageOptions;
}

/** The ISR cache of one deployment. */
export class IsrCache {
  readonly #options: IsrCacheOptions & { readonly timer: Timer };
  readonly #inFlightRequests = new InFlightRequests();
  readonly #pages: PageTiers;

  constructor(options: IsrCacheOptions) {
    this.#options = { timer: systemTimer, ...options };
    this.#pages = new PageTiers(options);
  }

  /**
   * Answers a `GET` or `HEAD`; without a promise where the page is in memory.
   * Rejects with what `fetchShared` and `fetchPrivate` reject with.
   */
  handle(request: PageRequest, options: PageOptions): CachedResponse | Promise<CachedResponse> {
    const context: PageContext = { request, options };
    if (request.isPrivate) return this.#fetchPrivate(context);
    const page = this.#pages.inMemory(request.key);
    return page === undefined ? this.#readOrFetch(context) : this.#serve(context, page);
  }

  /** Removes pages, and does not store those being fetched. Returns how many there were. */
  purge(scope: PurgeScope): Promise<number> {
    return this.#pages.purge(scope);
  }

  async #readOrFetch(context: PageContext): Promise<CachedResponse> {
    const { request, options } = context;
    const page = await this.#pages.read(request, options.revalidateSeconds);
    return page === undefined ? await this.#fetchOnce(context) : this.#serve(context, page);
  }

  /** Serves a page. It is stale where the clock was set back, since its age is then unknown. */
  #serve(context: PageContext, page: IsrEntry): CachedResponse {
    const now = this.#options.now();
    const age = now - page.stored.responseTime;
    page.used = true;
    if (age >= 0 && age < context.options.revalidateSeconds * 1000) {
      const second = Math.floor(now / 1000);
      if (page.hit?.second !== second) {
        page.hit = { second, headers: outgoingHeaders(page.stored, now, FRESH) };
      }
      const { headers } = page.hit;
      return responseFrom(page.stored, context.request, { headers, result: "HIT" });
    }
    this.#refresh(context, page);
    return this.#serveStored(context, page, STALE);
  }

  #serveStored(
    { request }: PageContext,
    { stored }: IsrEntry,
    report: CacheReport,
  ): CachedResponse {
    const headers = outgoingHeaders(stored, this.#options.now(), report);
    return responseFrom(stored, request, { headers, result: report.result });
  }

  /** The server's response to this client alone. */
  async #fetchPrivate({ options }: PageContext): Promise<CachedResponse> {
    const response = await options.fetchPrivate();
    const headers = withReport(response.headers, { ...BYPASS, forwardStatus: response.status });
    return { ...response, headers, bytes: contentLength(response.headers), result: "BYPASS" };
  }

  /** Turns the shared response into one for this client, by its method and conditions. */
  #deliver(request: PageRequest, response: OriginResponse, fill?: CacheFill): CachedResponse {
    const report: CacheReport = {
      result: "MISS",
      forward: "uri-miss",
      forwardStatus: response.status,
      stored: fill !== undefined,
    };
    return deliver(request, response, {
      report,
      now: this.#options.now(),
      background: false,
      ...(fill === undefined ? {} : { openBody: () => fill.stream() }),
    });
  }

  /** Fetches a page, with one request to the server for all that wait for the same page. */
  async #fetchOnce(context: PageContext): Promise<CachedResponse> {
    const { now, timer } = this.#options;
    const { key } = context.request;
    if (this.#inFlightRequests.isHitForMiss(key, now())) return await this.#fetchPrivate(context);
    const inFlight = this.#inFlightRequests.start(key, now());
    if (inFlight !== undefined) return await this.#fetchAndStore(context, inFlight);
    const outcome = await awaitOutcome(this.#inFlightRequests.find(key)!, {
      milliseconds: COLLAPSE_MILLISECONDS,
      timer,
    });
    if (outcome?.type === "error") throw outcome.error;
    const page = outcome?.type === "stored" ? this.#pages.inMemory(key) : undefined;
    return page === undefined
      ? await this.#fetchPrivate(context)
      : this.#serveStored(context, page, COLLAPSED);
  }

  async #fetchAndStore(context: PageContext, inFlight: InFlightRequest): Promise<CachedResponse> {
    const { request } = context;
    const { response, decision, requested } = await this.#fetchShared(context, inFlight);
    if (decision.type === "private") {
      discardBody(response.body);
      this.#inFlightRequests.setHitForMiss(request.key, true, this.#options.now());
      inFlight.settle({ type: "not_stored" });
      return await this.#fetchPrivate(context);
    }
    if (decision.type !== "store") {
      inFlight.settle({ type: "not_stored" });
      return this.#deliver(request, response);
    }
    const fill = this.#startFill(response);
    void this.#keep(context, { inFlight, fill, response, requested });
    return this.#deliver(request, response, fill);
  }

  async #fetchShared(context: PageContext, inFlight: InFlightRequest) {
    const requested = { at: this.#options.now(), purges: this.#pages.purges };
    try {
      const response = await context.options.fetchShared(context.request.sharedRequest());
      return { response, requested, decision: decidePage(response, context.options) };
    } catch (error) {
      inFlight.settle({ type: "error", error });
      throw error;
    }
  }

  #startFill({ headers, body }: OriginResponse): CacheFill {
    const { memory } = this.#options;
    const stream = body instanceof ReadableStream ? body : new Blob([body ?? ""]).stream();
    return new CacheFill(stream, {
      limit: MAX_PAGE_BYTES,
      expectedBytes: contentLength(headers),
      reserve: (bytes) => memory.reserve(bytes),
      release: (bytes) => memory.release(bytes),
    });
  }

  /** Stores the page when its body is complete, and settles the in-flight request. */
  async #keep(
    context: PageContext,
    { inFlight, fill, response, requested }: {
      readonly inFlight: InFlightRequest;
      readonly fill: CacheFill;
      readonly response: OriginResponse;
      readonly requested: { readonly at: number; readonly purges: number };
    },
  ): Promise<boolean> {
    const body = await fill.done;
    const isKept = body !== undefined && requested.purges === this.#pages.purges;
    if (isKept) {
      const { key, path } = context.request;
      const askedAt = requested.at;
      const headers = headersToStore(response.headers, { body, askedAt });
      const record: PageRecord = { key, path, status: response.status, headers, askedAt, body };
      this.#pages.remember(context.request, record, context.options.revalidateSeconds);
      inFlight.settle({ type: "stored" });
      await this.#pages.write(context.request, record);
    } else {
      inFlight.settle({ type: "not_stored" });
    }
    fill.release();
    return isKept;
  }

  /**
   * Refreshes a page in the background. It stays where the server fails, and is
   * removed where it became private.
   */
  #refresh(context: PageContext, page: IsrEntry): void {
    const { now } = this.#options;
    if (now() < page.retryAt) return;
    const inFlight = this.#inFlightRequests.start(context.request.key, now());
    if (inFlight === undefined) return;
    void this.#fetchFresh(context, inFlight).catch((error) => {
      this.#options.onError(error);
      return false;
    }).then((isKept) => {
      if (!isKept) page.retryAt = now() + RETRY_MILLISECONDS;
    });
  }

  async #fetchFresh(context: PageContext, inFlight: InFlightRequest): Promise<boolean> {
    const { response, decision, requested } = await this.#fetchShared(context, inFlight);
    if (decision.type === "store") {
      return await this.#keep(context, {
        inFlight,
        fill: this.#startFill(response),
        response,
        requested,
      });
    }
    discardBody(response.body);
    if (decision.type === "failed") this.#reportFailure(context, response);
    else await this.#remove(context, decision);
    inFlight.settle({ type: "not_stored" });
    return false;
  }

  #reportFailure({ request }: PageContext, { status }: OriginResponse): void {
    this.#options.onError(
      new Error(`Cannot refresh ${request.path}: the server responded with ${status}`),
    );
  }

  async #remove({ request }: PageContext, decision: PageDecision): Promise<void> {
    const { now } = this.#options;
    if (decision.type === "private") this.#inFlightRequests.setHitForMiss(request.key, true, now());
    await this.#pages.remove(request);
  }
}
