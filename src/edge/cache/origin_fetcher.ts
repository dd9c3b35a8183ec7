/**
 * Asks the origin, and does with its answer what the decisions say: keeps it,
 * freshens what is kept, lets a stale one stand in, or hands it through.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import {
  type BodyStream,
  type Bytes,
  discardBody,
  findHeader,
  type HeaderList,
  isStream,
  type OriginAnswer,
} from "../messages/mod.ts";
import { type Ask, serveStored, type Turn } from "./cache_context.ts";
import { Fill } from "./cache_fill.ts";
import type { CacheReport } from "./cache_status.ts";
import type { CacheStore, Ticket } from "./cache_store.ts";
import { mayStandIn } from "./decide_lookup.ts";
import { decideStore, type StoreDecision } from "./decide_store.ts";
import { contentLength, deliver } from "./deliver.ts";
import type { Exchanged } from "./freshness.ts";
import type { Flight, Flights, Landing } from "./in_flight_requests.ts";
import { placeOf } from "./invalidation.ts";
import { NOT_FORWARDED } from "./origin_request.ts";
import { freshenedHeaders } from "./stored_headers.ts";
import { makeStored } from "./stored_response.ts";
import type { CachedAnswer, CacheRequest, StoredAnswer } from "./types.ts";

/** One request to the origin, on behalf of a client or in the background. */
interface Errand {
  readonly turn: Turn;
  readonly ask: Ask;
  readonly ticket: Ticket;
  readonly flight: Flight | undefined;
  /** No client waits for the answer. */
  readonly background: boolean;
}

type Storable = Extract<StoreDecision, { readonly type: "store" }>;

const EMPTY: Bytes = new Uint8Array(0);

/** Answers by which an origin says that it failed (RFC 5861, 4). */
const FAILURES = new Set([500, 502, 503, 504]);

/** Whether two entity tags mean the same content (RFC 9110, 8.8.3.2: weak comparison). */
function sameTag(left: string | undefined, right: string | undefined): boolean {
  return left?.replace(/^W\//, "") === right?.replace(/^W\//, "");
}

/** The fields that stay when a 304 without `Date` arrives: the old `Date` is not its own. */
function freshened(stored: StoredAnswer, update: HeaderList): HeaderList {
  const news = update.filter(([name]) => name !== "set-cookie");
  const hasDate = news.some(([name]) => name === "date");
  const old = hasDate ? stored.headers : stored.headers.filter(([name]) => name !== "date");
  return freshenedHeaders(old, news);
}

export interface OriginSideOptions {
  readonly now: Clock;
  readonly maxEntryBytes: number;
  readonly store: CacheStore;
  readonly flights: Flights;
}

export class OriginSide {
  readonly #now: Clock;
  readonly #maxEntryBytes: number;
  readonly #store: CacheStore;
  readonly #flights: Flights;

  constructor(options: OriginSideOptions) {
    this.#now = options.now;
    this.#maxEntryBytes = options.maxEntryBytes;
    this.#store = options.store;
    this.#flights = options.flights;
  }

  /** Asks the origin, and lands the flight that others wait for, whatever comes. */
  async send(
    turn: Turn,
    ask: Ask,
    { flight, background = false }: {
      readonly flight?: Flight | undefined;
      readonly background?: boolean;
    } = {},
  ): Promise<CachedAnswer> {
    const ticket = this.#store.expect(placeOf(turn.request));
    const errand: Errand = { turn, ask, ticket, flight, background };
    try {
      return await this.#run(errand);
    } catch (error) {
      this.#land(errand, { type: "error", error });
      throw error;
    }
  }

  /** The stale answer in place of the one that the origin failed to give, if it may. */
  standIn(
    request: CacheRequest,
    ask: Ask,
    failure: {
      readonly unreachable: boolean;
      readonly status?: number | undefined;
      readonly collapsed?: boolean;
    },
  ): CachedAnswer | undefined {
    const { unreachable, status, collapsed = false } = failure;
    const now = this.#now();
    if (ask.type !== "revalidate" || !mayStandIn(request, ask.stored, { now, unreachable })) {
      return undefined;
    }
    const report: CacheReport = {
      result: "STALE",
      forward: ask.forward,
      collapsed,
      detail: "stale-if-error",
      ...(status === undefined ? {} : { forwardStatus: status }),
    };
    return serveStored(ask.stored, request, { now, report });
  }

  #land({ ticket, flight }: Errand, landing: Landing): void {
    this.#store.settle(ticket);
    flight?.land(landing);
  }

  async #run(errand: Errand): Promise<CachedAnswer> {
    const { turn, ask, background } = errand;
    const requestTime = this.#now();
    let answer: OriginAnswer;
    try {
      answer = await turn.options.fetchOrigin({
        type: "for_cache",
        without: NOT_FORWARDED,
        conditions: ask.type === "revalidate" ? ask.conditions : [],
      });
    } catch (error) {
      const standIn = this.standIn(turn.request, ask, { unreachable: true });
      if (standIn === undefined || background) throw error;
      this.#land(errand, { type: "failed", unreachable: true });
      return standIn;
    }
    const exchanged: Exchanged = { requestTime, responseTime: this.#now() };
    if (answer.status === 304) return await this.#validated(errand, answer, exchanged);
    if (FAILURES.has(answer.status)) {
      const { status } = answer;
      const standIn = this.standIn(turn.request, ask, { unreachable: false, status });
      if (standIn !== undefined) {
        discardBody(answer.body);
        this.#land(errand, { type: "failed", unreachable: false });
        return standIn;
      }
      // What is stale stays: its time to be served while it is refreshed is not over.
      if (background) return this.#handThrough(errand, answer, "origin-failure");
    }
    return await this.#take(errand, answer, exchanged);
  }

  /** The origin says that the stored answer is still good (RFC 9111, 4.3.4). */
  async #validated(
    errand: Errand,
    answer: OriginAnswer,
    exchanged: Exchanged,
  ): Promise<CachedAnswer> {
    const { turn, ask } = errand;
    const { request, rule } = turn;
    discardBody(answer.body);
    if (ask.type === "miss" || ask.conditions.length === 0) {
      throw new TypeError("Can not use the origin's answer: 304 needs a condition in the request");
    }
    const { stored } = ask;
    const told = findHeader(answer.headers, "etag");
    if (told !== undefined && !sameTag(told, stored.etag)) {
      return await this.#run({ ...errand, ask: { type: "miss", forward: "uri-miss" } });
    }
    const head = { status: stored.status, headers: freshened(stored, answer.headers) };
    const decision = decideStore(request, head, { rule, exchanged });
    if (decision.type === "pass") {
      this.#store.remove(stored);
      return this.#handThrough(errand, { ...head, body: stored.body }, decision.reason);
    }
    const fresh = makeStored(head, {
      request,
      decision,
      responseTime: exchanged.responseTime,
      body: stored.body,
    });
    return this.#keep(errand, fresh, { result: "HIT", forwardStatus: 304 });
  }

  async #take(
    errand: Errand,
    answer: OriginAnswer,
    exchanged: Exchanged,
  ): Promise<CachedAnswer> {
    const { request, rule } = errand.turn;
    const decision = decideStore(request, answer, { rule, exchanged });
    if (decision.type === "pass") return this.#handThrough(errand, answer, decision.reason);
    if ((contentLength(answer.headers) ?? 0) > this.#maxEntryBytes) {
      return this.#handThrough(errand, answer, "too-large");
    }
    const { responseTime } = exchanged;
    const { body } = answer;
    if (isStream(body)) {
      return await this.#keepWhileSending(errand, { ...answer, body }, { decision, responseTime });
    }
    const bytes = body ?? EMPTY;
    if (bytes.byteLength > this.#maxEntryBytes) {
      return this.#handThrough(errand, answer, "too-large");
    }
    const fresh = makeStored(answer, { request, decision, responseTime, body: bytes });
    return this.#keep(errand, fresh, { result: "MISS", forwardStatus: answer.status }, answer);
  }

  /** Keeps a complete answer and serves it; to the one who asked, with all that the origin said. */
  #keep(
    errand: Errand,
    fresh: StoredAnswer,
    outcome: Pick<CacheReport, "result" | "forwardStatus">,
    answer?: OriginAnswer,
  ): CachedAnswer {
    const { turn, ask } = errand;
    const { request, key } = turn;
    const entry = this.#store.put(fresh, { key, ticket: errand.ticket, request });
    const stored = entry !== undefined;
    this.#flights.setLoner(key, !stored, this.#now());
    this.#land(errand, { type: stored ? "stored" : "not_stored" });
    const report: CacheReport = { ...outcome, forward: ask.forward, stored };
    if (answer !== undefined) return this.#deliver(errand, answer, report);
    return serveStored(fresh, request, { now: this.#now(), report });
  }

  async #keepWhileSending(
    errand: Errand,
    answer: OriginAnswer & { readonly body: BodyStream },
    facts: { readonly decision: Storable; readonly responseTime: number },
  ): Promise<CachedAnswer> {
    const { turn, ask, background } = errand;
    const { request, key, options } = turn;
    const fill = new Fill(answer.body, {
      limit: this.#maxEntryBytes,
      expectedBytes: contentLength(answer.headers),
      reserve: (bytes) => this.#store.reserve(bytes),
      release: (bytes) => this.#store.release(bytes),
    });
    const kept = fill.done.then((body) => {
      if (body !== undefined) fill.release();
      const fresh = body === undefined
        ? undefined
        : makeStored(answer, { request, ...facts, body });
      const where = { key, ticket: errand.ticket, request };
      const entry = fresh === undefined ? undefined : this.#store.put(fresh, where);
      this.#flights.setLoner(key, entry === undefined, this.#now());
      this.#land(errand, { type: entry === undefined ? "not_stored" : "stored" });
    });
    const report: CacheReport = {
      result: "MISS",
      forward: ask.forward,
      forwardStatus: answer.status,
      stored: true,
    };
    if (background) await kept;
    else options.waitUntil(kept);
    return this.#deliver(errand, answer, report, () => fill.stream());
  }

  /** The answer is for this client only. */
  #handThrough(errand: Errand, answer: OriginAnswer, reason: string): CachedAnswer {
    const { turn, ask } = errand;
    if (ask.type === "revalidate" && !FAILURES.has(answer.status)) this.#store.remove(ask.stored);
    this.#flights.setLoner(turn.key, true, this.#now());
    this.#land(errand, { type: "not_stored" });
    return this.#deliver(errand, answer, {
      result: "MISS",
      forward: ask.forward,
      forwardStatus: answer.status,
      detail: reason,
    });
  }

  #deliver(
    { turn, background }: Errand,
    answer: OriginAnswer,
    report: CacheReport,
    openBody?: () => BodyStream,
  ): CachedAnswer {
    return deliver(turn.request, answer, { report, background, now: this.#now(), openBody });
  }
}
