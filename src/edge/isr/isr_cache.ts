/**
 * Incremental regeneration (ISR): answers of servers that are kept for a
 * route's `revalidate` seconds, served stale while one request refreshes them,
 * and there again after a restart. `docs/isr.md` tells authors the same.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { ComputeRequest } from "../../runtime/mod.ts";
import {
  answerFrom,
  awaitLanding,
  type CachedAnswer,
  type CacheReport,
  contentLength,
  deliver,
  Fill,
  type Flight,
  Flights,
  outgoingHeaders,
  type PurgeScope,
  systemTimer,
  type Timer,
  withReport,
} from "../cache/mod.ts";
import { discardBody, type OriginAnswer } from "../messages/mod.ts";
import { decidePage, type PageDecision } from "./decide_page.ts";
import { pageBytes, type PageMemory } from "./isr_memory.ts";
import { type PageLimits, pageName } from "./page_index.ts";
import { keptHeaders, type PageRecord, storedAnswer } from "./page_record.ts";
import { PageShelf } from "./stored_pages.ts";
import type { KeptPage, PageRequest, PageVault } from "./types.ts";

/** Largest body that is kept (10 MiB). */
export const MAX_PAGE_BYTES = 10 * 1024 * 1024;

/** After a refresh that failed, the next one waits so long, in milliseconds. */
export const RETRY_MILLISECONDS = 10_000;

/** A client waits for another's answer so long, in milliseconds; then he asks for himself. */
export const COLLAPSE_MILLISECONDS = 30_000;

export interface KeptPagesOptions {
  readonly deploymentId: string;
  readonly vault: PageVault;
  /** Shared by all deployments. */
  readonly memory: PageMemory;
  readonly now: Clock;
  readonly limits?: PageLimits;
  readonly timer?: Timer;
  /** Is told why a refresh, or keeping a page, failed. */
  readonly onError: (error: unknown) => void;
}

export interface PageOptions {
  /** Seconds for which a page is fresh. */
  readonly revalidateSeconds: number;
  /** Whether a 404 is an answer to keep. */
  readonly keepsMissing: boolean;
  /** Asks the server; a rejection means that it could not answer. */
  fetchPage(request: ComputeRequest): Promise<OriginAnswer>;
  /** Asks the server as the client did. */
  fetchOwn(): Promise<OriginAnswer>;
}

const FRESH: CacheReport = { result: "HIT", hit: true };
const STALE: CacheReport = { result: "STALE", hit: true };
const COLLAPSED: CacheReport = { result: "HIT", forward: "uri-miss", collapsed: true };
const OWN: CacheReport = { result: "BYPASS", forward: "bypass" };

/** A request on its way. */
interface PageTurn {
  readonly request: PageRequest;
  readonly options: PageOptions;
  /** Where the page is in memory. */
  readonly place: string;
}

/** The kept pages of one deployment. */
export class KeptPages {
  readonly #options: KeptPagesOptions & { readonly timer: Timer };
  readonly #flights = new Flights();
  readonly #reads = new Map<string, Promise<KeptPage | undefined>>();
  readonly #shelf: PageShelf;
  /** Counts purges: an answer that was asked for before one is not kept. */
  #purges = 0;

  constructor(options: KeptPagesOptions) {
    this.#options = { timer: systemTimer, ...options };
    this.#shelf = new PageShelf(options);
  }

  /**
   * Answers a reading request; at once where the page is in memory. Rejects as
   * `fetchPage` and `fetchOwn` do.
   */
  handle(request: PageRequest, options: PageOptions): CachedAnswer | Promise<CachedAnswer> {
    const turn: PageTurn = {
      request,
      options,
      place: `${this.#options.deploymentId} ${request.key}`,
    };
    if (request.isPrivate) return this.#own(turn);
    const page = this.#options.memory.get(turn.place);
    return page === undefined ? this.#search(turn) : this.#serve(turn, page);
  }

  /** Forgets pages, those on their way included. Returns how many there were. */
  async purge(scope: PurgeScope): Promise<number> {
    this.#purges += 1;
    const { memory, deploymentId } = this.#options;
    const isMeant = (path: string) =>
      scope.type === "all" ||
      (scope.type === "path" ? path === scope.path : path.startsWith(scope.prefix));
    const gone = new Set<string>();
    for (const [place, page] of [...memory.under(`${deploymentId} `)]) {
      if (!isMeant(page.path)) continue;
      memory.delete(place);
      gone.add(page.name);
    }
    for (const name of await this.#shelf.purge(scope.type === "all" ? "all" : isMeant)) {
      gone.add(name);
    }
    return gone.size;
  }

  async #search(turn: PageTurn): Promise<CachedAnswer> {
    const page = await this.#read(turn);
    return page === undefined ? await this.#fill(turn) : this.#serve(turn, page);
  }

  /** A clock that was set back makes a page stale: nobody knows how old it is. */
  #serve(turn: PageTurn, page: KeptPage): CachedAnswer {
    const now = this.#options.now();
    const age = now - page.stored.responseTime;
    page.used = true;
    if (age >= 0 && age < turn.options.revalidateSeconds * 1000) {
      const second = Math.floor(now / 1000);
      if (page.hit?.second !== second) {
        page.hit = { second, headers: outgoingHeaders(page.stored, now, FRESH) };
      }
      const { headers } = page.hit;
      return answerFrom(page.stored, turn.request, { headers, result: "HIT" });
    }
    this.#refresh(turn, page);
    return this.#answer(turn, page, STALE);
  }

  #answer({ request }: PageTurn, { stored }: KeptPage, report: CacheReport): CachedAnswer {
    const headers = outgoingHeaders(stored, this.#options.now(), report);
    return answerFrom(stored, request, { headers, result: report.result });
  }

  /** The server's answer to this client alone. */
  async #own({ options }: PageTurn): Promise<CachedAnswer> {
    const answer = await options.fetchOwn();
    const headers = withReport(answer.headers, { ...OWN, forwardStatus: answer.status });
    return { ...answer, headers, bytes: contentLength(answer.headers), result: "BYPASS" };
  }

  /** What was asked for everyone, to this client: his method and conditions are judged here. */
  #hand(request: PageRequest, answer: OriginAnswer, fill?: Fill): CachedAnswer {
    const report: CacheReport = {
      result: "MISS",
      forward: "uri-miss",
      forwardStatus: answer.status,
      stored: fill !== undefined,
    };
    return deliver(request, answer, {
      report,
      now: this.#options.now(),
      background: false,
      ...(fill === undefined ? {} : { openBody: () => fill.stream() }),
    });
  }

  /** One request for all who wait for the same page. */
  async #fill(turn: PageTurn): Promise<CachedAnswer> {
    const { now, timer, memory } = this.#options;
    const { key } = turn.request;
    if (this.#flights.isLoner(key, now())) return await this.#own(turn);
    const flight = this.#flights.start(key, now());
    if (flight !== undefined) return await this.#lead(turn, flight);
    const landing = await awaitLanding(this.#flights.find(key)!, {
      milliseconds: COLLAPSE_MILLISECONDS,
      timer,
    });
    if (landing?.type === "error") throw landing.error;
    const page = landing?.type === "stored" ? memory.get(turn.place) : undefined;
    return page === undefined ? await this.#own(turn) : this.#answer(turn, page, COLLAPSED);
  }

  async #lead(turn: PageTurn, flight: Flight): Promise<CachedAnswer> {
    const { request } = turn;
    const { answer, decision, asked } = await this.#ask(turn, flight);
    if (decision.type === "private") {
      discardBody(answer.body);
      this.#flights.setLoner(request.key, true, this.#options.now());
      flight.land({ type: "not_stored" });
      return await this.#own(turn);
    }
    if (decision.type !== "keep") {
      flight.land({ type: "not_stored" });
      return this.#hand(request, answer);
    }
    const fill = this.#startFill(answer);
    void this.#keep(turn, { flight, fill, answer, asked });
    return this.#hand(request, answer, fill);
  }

  async #ask(turn: PageTurn, flight: Flight) {
    const asked = { at: this.#options.now(), purges: this.#purges };
    try {
      const answer = await turn.options.fetchPage(turn.request.forEveryone());
      return { answer, asked, decision: decidePage(answer, turn.options) };
    } catch (error) {
      flight.land({ type: "error", error });
      throw error;
    }
  }

  #startFill({ headers, body }: OriginAnswer): Fill {
    const { memory } = this.#options;
    const stream = body instanceof ReadableStream ? body : new Blob([body ?? ""]).stream();
    return new Fill(stream, {
      limit: MAX_PAGE_BYTES,
      expectedBytes: contentLength(headers),
      reserve: (bytes) => memory.reserve(bytes),
      release: (bytes) => memory.release(bytes),
    });
  }

  /** Keeps a body once it is complete, and tells those who wait. */
  async #keep(
    turn: PageTurn,
    { flight, fill, answer, asked }: {
      readonly flight: Flight;
      readonly fill: Fill;
      readonly answer: OriginAnswer;
      readonly asked: { readonly at: number; readonly purges: number };
    },
  ): Promise<boolean> {
    const body = await fill.done;
    const isKept = body !== undefined && asked.purges === this.#purges;
    if (isKept) {
      const { key, path } = turn.request;
      const askedAt = asked.at;
      const headers = keptHeaders(answer.headers, { body, askedAt });
      const record: PageRecord = { key, path, status: answer.status, headers, askedAt, body };
      this.#remember(turn, record);
      flight.land({ type: "stored" });
      await this.#shelf.write(nameOf(turn.request), record);
    } else {
      flight.land({ type: "not_stored" });
    }
    fill.release();
    return isKept;
  }

  /** What is kept stays where the server fails, as old as it is, and goes where it became private. */
  #refresh(turn: PageTurn, page: KeptPage): void {
    const { now } = this.#options;
    if (now() < page.retryAt) return;
    const flight = this.#flights.start(turn.request.key, now());
    if (flight === undefined) return;
    void this.#refreshed(turn, flight).catch((error) => {
      this.#options.onError(error);
      return false;
    }).then((isKept) => {
      if (!isKept) page.retryAt = now() + RETRY_MILLISECONDS;
    });
  }

  async #refreshed(turn: PageTurn, flight: Flight): Promise<boolean> {
    const { answer, decision, asked } = await this.#ask(turn, flight);
    if (decision.type === "keep") {
      return await this.#keep(turn, { flight, fill: this.#startFill(answer), answer, asked });
    }
    discardBody(answer.body);
    if (decision.type === "failed") this.#reportFailure(turn, answer);
    else await this.#forget(turn, decision);
    flight.land({ type: "not_stored" });
    return false;
  }

  #reportFailure({ request }: PageTurn, { status }: OriginAnswer): void {
    this.#options.onError(new Error(`Can not refresh ${request.path}: the server said ${status}`));
  }

  async #forget({ place, request }: PageTurn, decision: PageDecision): Promise<void> {
    const { memory, now } = this.#options;
    if (decision.type === "private") this.#flights.setLoner(request.key, true, now());
    memory.delete(place);
    await this.#shelf.remove(nameOf(request));
  }

  #remember({ request, options, place }: PageTurn, record: PageRecord): KeptPage {
    const page: KeptPage = {
      key: request.key,
      name: nameOf(request),
      path: request.path,
      stored: storedAnswer(record, options.revalidateSeconds),
      bytes: pageBytes(request.key, record.body.byteLength),
      used: false,
      retryAt: 0,
      hit: undefined,
    };
    this.#options.memory.put(place, page);
    return page;
  }

  /** The page from the vault, into memory; read once for all who ask meanwhile. */
  #read(turn: PageTurn): Promise<KeptPage | undefined> {
    const { key } = turn.request;
    let reading = this.#reads.get(key);
    if (reading === undefined) {
      reading = this.#readNow(turn).finally(() => this.#reads.delete(key));
      this.#reads.set(key, reading);
    }
    return reading;
  }

  async #readNow(turn: PageTurn): Promise<KeptPage | undefined> {
    const { memory } = this.#options;
    const purges = this.#purges;
    const record = await this.#shelf.read(turn.request.key, () => nameOf(turn.request));
    const known = memory.get(turn.place);
    if (known !== undefined || record === undefined || purges !== this.#purges) return known;
    return this.#remember(turn, record);
  }
}

function nameOf({ key, hasQuery }: PageRequest): string {
  return pageName(sha256Hex(key), hasQuery);
}
