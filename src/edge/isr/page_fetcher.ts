/** @module Fetches pages from their server and stores them, one request at a time per page. */
import type { Clock } from "../../lib/clock.ts";
import {
  awaitOutcome,
  type InFlightRequest,
  InFlightRequests,
  type Timer,
} from "../cache/in_flight_requests.ts";
import type { CachedResponse } from "../cache/types.ts";
import { CacheFill } from "../cache/cache_fill.ts";
import type { CacheReport } from "../cache/cache_status.ts";
import { contentLength, deliver } from "../cache/deliver.ts";
import { mayServeStaleOnError } from "../cache/decide_lookup.ts";
import { outgoingHeaders, responseFrom } from "../cache/stored_response.ts";
import { discardBody } from "../messages/body.ts";
import type { OriginResponse } from "../messages/messages.ts";
import type { PageDecision } from "./decide_page.ts";
import type { IsrMemory } from "./isr_memory.ts";
import { decideShared, type PageContext } from "./page_context.ts";
import { toPageRecord } from "./page_record.ts";
import type { PageTiers } from "./page_tiers.ts";
import type { IsrEntry, PageRequest, Requested, Storable } from "./types.ts";
import { forClients, privateResponse } from "./unstored_response.ts";

/** Maximum size of a body that is stored (10 MiB). */
const MAX_PAGE_BYTES = 10 * 1024 * 1024;

/** Delay between a failed refresh and the next one, in milliseconds. */
const RETRY_MILLISECONDS = 10_000;

/**
 * How long a request waits for another request's response, in milliseconds. After that, the waiting
 * request is sent to the server.
 */
const COLLAPSE_MILLISECONDS = 30_000;

const COLLAPSED: CacheReport = { result: "HIT", forward: "uri-miss", collapsed: true };
const STALE_ON_ERROR: CacheReport = {
  result: "STALE",
  forward: "stale",
  detail: "stale-if-error",
};

/** A response that is being stored. */
interface Fill {
  readonly inFlight: InFlightRequest;
  readonly fill: CacheFill;
  readonly response: OriginResponse;
  readonly requested: Requested;
  readonly decision: Storable;
}

interface PageFetcherOptions {
  readonly now: Clock;
  readonly timer: Timer;
  readonly pages: PageTiers;
  readonly memory: IsrMemory;
  readonly onError: (error: unknown) => void;
}

/** Serves a stored page, with the header fields that report the cache hit. */
export function serveStored(
  request: PageRequest,
  { stored }: IsrEntry,
  { now, report }: { readonly now: number; readonly report: CacheReport },
): CachedResponse {
  const headers = outgoingHeaders(stored, now, report);
  return responseFrom(stored, request, { headers, result: report.result });
}

export class PageFetcher {
  readonly #inFlightRequests = new InFlightRequests();

  readonly #options: PageFetcherOptions;

  constructor(options: PageFetcherOptions) {
    this.#options = options;
  }

  /** Returns the server's response, which is only for this client. */
  async fetchPrivate({ options }: PageContext): Promise<CachedResponse> {
    return privateResponse(await options.fetchPrivate());
  }

  /**
   * Fetches a page, with one request to the server for all clients of the same page. If the server
   * fails, an expired page is served if the page's cache terms allow this.
   */
  async fetchOnce(context: PageContext, expired?: IsrEntry): Promise<CachedResponse> {
    const { now, timer } = this.#options;
    const { key } = context.request;
    if (this.#inFlightRequests.isHitForMiss(key, now())) return await this.fetchPrivate(context);
    const inFlight = this.#inFlightRequests.start(key, now());
    if (inFlight !== undefined) return await this.#fetchAndStore(context, inFlight, expired);
    const outcome = await awaitOutcome(this.#inFlightRequests.find(key)!, {
      milliseconds: COLLAPSE_MILLISECONDS,
      timer,
    });
    if (outcome?.type === "error") {
      return this.#staleOnError(context, expired, true) ?? Promise.reject(outcome.error);
    }
    if (outcome?.type === "failed") {
      return this.#staleOnError(context, expired, false) ?? await this.fetchPrivate(context);
    }
    const page = outcome?.type === "stored" ? this.#options.pages.inMemory(key) : undefined;
    const shared = page && serveStored(context.request, page, { now: now(), report: COLLAPSED });
    return shared ?? await this.fetchPrivate(context);
  }

  /**
   * Stores the response to a client's own request, unless another response for the page is being
   * stored. Returns the response for the client.
   */
  offer(
    context: PageContext,
    response: OriginResponse,
    { decision, requested }: Pick<Fill, "decision" | "requested">,
  ): CachedResponse {
    const { request } = context;
    const inFlight = this.#inFlightRequests.start(request.key, this.#options.now());
    if (inFlight === undefined) return this.#deliver(request, forClients(response));
    const fill = this.#startFill(response);
    this.#keepLater(context, { inFlight, fill, response, requested, decision });
    return this.#deliver(request, forClients(response), fill);
  }

  /**
   * Refreshes a page in the background. If the server fails, the page stays. If the page has become
   * private, it is removed.
   */
  refresh(context: PageContext, page: IsrEntry): void {
    const { now } = this.#options;
    if (now() < page.retryAt) return;
    const inFlight = this.#inFlightRequests.start(context.request.key, now());
    if (inFlight === undefined) return;
    const retryLater = (): void => {
      page.retryAt = now() + RETRY_MILLISECONDS;
    };
    this.#fetchFresh(context, inFlight).then((isKept) => isKept || retryLater(), (error) => {
      this.#options.onError(error);
      retryLater();
    });
  }

  /**
   * Turns a shared response into the response for this client, based on the method and the
   * conditions of the client's request.
   */
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

  #staleOnError(
    { request }: PageContext,
    expired: IsrEntry | undefined,
    unreachable: boolean,
  ): CachedResponse | undefined {
    const now = this.#options.now();
    const maySend = expired !== undefined &&
      mayServeStaleOnError(request, expired.stored, { now, unreachable });
    return maySend ? serveStored(request, expired, { now, report: STALE_ON_ERROR }) : undefined;
  }

  async #fetchAndStore(
    context: PageContext,
    inFlight: InFlightRequest,
    expired: IsrEntry | undefined,
  ): Promise<CachedResponse> {
    const { request } = context;
    let fetched;
    try {
      fetched = await this.#fetchShared(context, inFlight);
    } catch (error) {
      return this.#staleOnError(context, expired, true) ?? Promise.reject(error);
    }
    const { response, decision, requested } = fetched;
    if (decision.type === "private") {
      discardBody(response.body);
      this.#inFlightRequests.setHitForMiss(request.key, true, this.#options.now());
      inFlight.settle({ type: "not_stored" });
      if (expired !== undefined) await this.#options.pages.remove(request);
      return await this.fetchPrivate(context);
    }
    if (decision.type === "failed" && expired !== undefined) {
      inFlight.settle({ type: "failed", unreachable: false });
      const stale = this.#staleOnError(context, expired, false);
      if (stale !== undefined) {
        discardBody(response.body);
        return stale;
      }
    }
    if (decision.type !== "store") {
      inFlight.settle({ type: "not_stored" });
      return this.#deliver(request, response);
    }
    const fill = this.#startFill(response);
    this.#keepLater(context, { inFlight, fill, response, requested, decision });
    return this.#deliver(request, forClients(response), fill);
  }

  async #fetchShared(context: PageContext, inFlight: InFlightRequest) {
    const { now, pages } = this.#options;
    const { request, options } = context;
    const requested = pages.requested(now());
    try {
      const selecting = pages.inMemory(request.key)?.stored.vary ?? [];
      const response = await options.fetchShared(request.sharedRequest(selecting));
      return { response, requested, decision: decideShared(context, response, requested.at) };
    } catch (error) {
      inFlight.settle({ type: "error", error });
      throw error;
    }
  }

  #startFill({ headers, body }: OriginResponse): CacheFill {
    const { memory, timer } = this.#options;
    const stream = body instanceof ReadableStream ? body : new Blob([body ?? ""]).stream();
    return new CacheFill(stream, {
      limit: MAX_PAGE_BYTES,
      expectedBytes: contentLength(headers),
      reserve: (bytes) => memory.reserve(bytes),
      release: (bytes) => memory.release(bytes),
      timer,
    });
  }

  /**
   * Stores a page in the background once its body is complete. Waiting requests continue even if
   * this fails.
   */
  #keepLater(context: PageContext, fill: Fill): void {
    this.#keep(context, fill).catch((error) => {
      fill.inFlight.settle({ type: "failed", unreachable: false });
      this.#options.onError(error);
    });
  }

  async #keep(
    { request, options }: PageContext,
    { inFlight, fill, response, requested, decision }: Fill,
  ): Promise<boolean> {
    const { pages } = this.#options;
    const body = await fill.done;
    const record = body === undefined
      ? undefined
      : toPageRecord(request, response, { body, requested, decision });
    const { revalidateSeconds } = options;
    const { isKept } = decision;
    const put = record === undefined
      ? undefined
      : pages.put(request, record, { requested, isKept, revalidateSeconds });
    inFlight.settle({ type: put === undefined ? "not_stored" : "stored" });
    await put?.written;
    fill.release();
    return put !== undefined;
  }

  async #fetchFresh(context: PageContext, inFlight: InFlightRequest): Promise<boolean> {
    const { response, decision, requested } = await this.#fetchShared(context, inFlight);
    if (decision.type === "store") {
      const fill = this.#startFill(response);
      return await this.#keep(context, { inFlight, fill, response, requested, decision });
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
    const { now, pages } = this.#options;
    if (decision.type === "private") this.#inFlightRequests.setHitForMiss(request.key, true, now());
    await pages.remove(request);
  }
}
