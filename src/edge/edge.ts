/**
 * The life of a request: host, rules, routes, file, answer, record.
 *
 * @module
 */
import type { Clock, Random } from "../lib/clock.ts";
import {
  createFacts,
  type Decision,
  evaluateRules,
  normalizePath,
  type RequestFacts,
} from "../rules/mod.ts";
import type { ComputeSocket, OutboundFetch } from "../runtime/mod.ts";
import { type AccessRecord, tracesOf } from "./access_record.ts";
import type { HttpCache } from "./cache/mod.ts";
import { ComputeFailedError, joinSockets } from "./compute/mod.ts";
import { DynamicAnswers, isDynamic } from "./dynamic/mod.ts";
import { answerAsLast } from "./final_recipient.ts";
import type { AsnLookup, GeoLookup } from "./geo/mod.ts";
import { isReading } from "./messages/mod.ts";
import { createRateLimiter, randomSeed, type RateLimiter } from "./rate_limit/mod.ts";
import {
  type Connection,
  Exchange,
  type ForwardedHeader,
  type Surroundings,
  TrustedProxies,
} from "./request/mod.ts";
import { finishAnswer, needsCache, redirectAnswer, Turn } from "./request_context.ts";
import { type Answer, edgePage, UNKNOWN_HOST, writeFields } from "./response/mod.ts";
import { failureAnswer, type Site, SiteAnswers } from "./site/mod.ts";
import { DecisionMemo, type SiteRules } from "./site_rules/mod.ts";

export interface EdgeOptions {
  /** The site of a host name in canonical form: lower-case punycode without port. */
  resolveHost(host: string): Site | undefined | Promise<Site | undefined>;
  /** Takes note of an answer; must be quick and must not throw. */
  record(entry: AccessRecord): void;
  readonly now: Clock;
  /** Seeds the tables that clients must not be able to predict. */
  readonly random: Random;
  /** A clock that never jumps, for durations, in milliseconds. */
  readonly stopwatch?: () => number;
  /** Makes an id: a few visible ASCII characters, unique. */
  requestId(): string;
  /** Holds the answers of other sites and of functions. */
  readonly cache: HttpCache;
  /** Reaches other sites; guards what it connects to. */
  readonly outbound: OutboundFetch;
  /** Memory for small files, in bytes; 256 MiB where missing. */
  readonly cacheBytes?: number;
  /** CIDRs of the proxies that may speak for clients; none where missing. */
  readonly trustProxy?: readonly string[];
  /** The header in which those proxies write the client's address. */
  readonly forwardedHeader?: ForwardedHeader;
  readonly geo?: GeoLookup | undefined;
  readonly asn?: AsnLookup | undefined;
  /** Is told of faults that were answered with 500. */
  readonly onError?: (error: unknown, requestId: string) => void;
}

/** Answers a request that came over a connection. */
export type EdgeHandler = (
  request: Request,
  connection: Connection,
) => Response | Promise<Response>;

/** Longest path and query together, in characters; RFC 9110, 4.1 asks for 8000 at least. */
const MAX_TARGET = 8192;

/** Upgrades the client's connection, and joins it with the server's socket. */
function upgradeClient(exchange: Exchange, server: ComputeSocket): Response {
  try {
    const { socket, response } = exchange.upgrade();
    // Deno itself takes a protocol only from a list that is written as it likes.
    if (server.protocol !== "") response.headers.set("sec-websocket-protocol", server.protocol);
    joinSockets(socket, server);
    return response;
  } catch {
    server.close();
    return new Response(null, { status: 400 });
  }
}

class Edge {
  readonly #limiter: RateLimiter;
  readonly #options: EdgeOptions;
  readonly #answers: SiteAnswers;
  readonly #dynamic: DynamicAnswers;
  readonly #decisions = new DecisionMemo();
  readonly #surroundings: Surroundings;
  readonly #stopwatch: () => number;

  constructor(options: EdgeOptions) {
    this.#options = options;
    this.#limiter = createRateLimiter({ now: options.now, seed: randomSeed(options.random) });
    this.#answers = new SiteAnswers(options.cacheBytes);
    this.#dynamic = new DynamicAnswers({
      answers: this.#answers,
      cache: options.cache,
      outbound: options.outbound,
      pseudonym: `svc-${options.random(6).toHex()}`,
      onError: (error, requestId) => options.onError?.(error, requestId),
    });
    this.#stopwatch = options.stopwatch ?? (() => performance.now());
    const trusted = options.trustProxy ?? [];
    this.#surroundings = {
      proxies: trusted.length === 0
        ? undefined
        : new TrustedProxies(trusted, options.forwardedHeader),
      geo: options.geo,
      asn: options.asn,
    };
  }

  /** Finds the site; stays synchronous as long as nothing has to be waited for. */
  handle(request: Request, connection: Connection): Response | Promise<Response> {
    const startedAt = this.#stopwatch();
    const exchange = new Exchange(request, this.#options.requestId(), {
      connection,
      surroundings: this.#surroundings,
    });
    if (exchange.host === "") return this.#respond(exchange, edgePage(exchange, 400));
    if (exchange.rawPath.length + exchange.rawQuery.length > MAX_TARGET) {
      return this.#respond(exchange, edgePage(exchange, 414));
    }
    const site = this.#options.resolveHost(exchange.host);
    if (site instanceof Promise) {
      return site.then(
        (found) => this.#serve(exchange, found, startedAt),
        (error) => this.#respond(exchange, this.#fault(exchange, error)),
      );
    }
    return this.#serve(exchange, site, startedAt);
  }

  #serve(
    exchange: Exchange,
    site: Site | undefined,
    startedAt: number,
  ): Response | Promise<Response> {
    if (site === undefined) {
      return this.#respond(exchange, edgePage(exchange, 404, { words: UNKNOWN_HOST }));
    }
    const turn = new Turn(exchange, site, startedAt, this.#limiter);
    try {
      const answer = this.#answer(turn);
      if (!(answer instanceof Promise)) return this.#finish(turn, answer);
      return answer.catch((error) => this.#fault(exchange, error, site))
        .then((settled) => this.#finish(turn, settled));
    } catch (error) {
      return this.#finish(turn, this.#fault(exchange, error, site));
    }
  }

  #answer(turn: Turn): Answer | Promise<Answer> {
    const { exchange, site } = turn;
    const { method, rawPath } = exchange;
    const { rules } = site;
    const isRead = isReading(method);
    const last = isRead ? undefined : answerAsLast(exchange, site.common);
    if (last !== undefined) return last;
    const file = isRead ? site.content.known(method, rawPath) : undefined;
    if (file !== undefined && rules === undefined) return this.#answers.file(site, exchange, file);
    if (method === "GET" && rules !== undefined) {
      turn.known = this.#decisions.recall(exchange.ownUrl, rules);
    }
    const path = turn.known?.path ?? (file === undefined ? normalizePath(rawPath) : rawPath);
    if (typeof path !== "string") return edgePage(exchange, 400, { headers: site.common });
    exchange.path = path;
    if (rules !== undefined) {
      const facts = createFacts(exchange);
      const decision = turn.decision = this.#judge(turn, rules, facts);
      const { terminal, rewrite } = decision;
      if (terminal.type === "rate_limited") {
        return edgePage(exchange, 429, { headers: site.common });
      }
      if (terminal.type === "deny") {
        return edgePage(exchange, terminal.status, { headers: site.common });
      }
      if (terminal.type === "redirect") return redirectAnswer(terminal, turn);
      if (isDynamic(decision) || (file === undefined && needsCache(turn))) {
        return this.#dynamic.answer({ exchange, site, decision, facts, known: turn.known });
      }
      if (rewrite?.type === "internal") {
        return this.#answers.route(site, exchange, rewrite);
      }
    }
    return file === undefined
      ? this.#answers.route(site, exchange, { path, query: exchange.rawQuery })
      : this.#answers.file(site, exchange, file);
  }

  /** Asks the rules, unless what they say about the target is known. */
  #judge(turn: Turn, rules: SiteRules, facts: RequestFacts): Decision {
    let decision = turn.known?.decision;
    if (decision === undefined) {
      turn.facts = facts;
      decision = evaluateRules(rules.compiled, facts, turn);
      const { method, ownUrl } = turn.exchange;
      if (method === "GET" && ownUrl !== "") {
        turn.known = this.#decisions.remember(ownUrl, rules, { facts, decision });
      }
    }
    rules.counters.add(decision.matched);
    return decision;
  }

  /**
   * A server of the site that failed is the site's own affair. A fault of ours:
   * its cause goes to the operator, its id to the client.
   */
  #fault(exchange: Exchange, error: unknown, site?: Site): Answer {
    if (error instanceof ComputeFailedError && site !== undefined) {
      return failureAnswer(error, exchange, site);
    }
    this.#options.onError?.(error, exchange.id);
    return edgePage(exchange, 500, site === undefined ? {} : { headers: site.common });
  }

  /** Applies the header rules, sends, and takes note. */
  #finish(turn: Turn, answer: Answer): Response {
    const { exchange, site, decision } = turn;
    const { hits } = decision;
    const response = this.#respond(exchange, finishAnswer(turn, answer));
    const durationMs = this.#stopwatch() - turn.startedAt;
    this.#options.record({
      time: this.#options.now() - durationMs,
      deploymentId: site.deploymentId,
      projectId: site.projectId,
      requestId: exchange.id,
      method: exchange.method,
      host: exchange.host,
      path: exchange.target,
      status: answer.status,
      bytes: answer.bytes ?? null,
      durationMs,
      ip: exchange.ip,
      userAgent: exchange.header("user-agent"),
      error: answer.problem,
      rules: tracesOf(hits),
    });
    return response;
  }

  #respond(exchange: Exchange, answer: Answer): Response {
    const { status, body, upgrade } = answer;
    if (upgrade !== undefined) {
      const response = upgradeClient(exchange, upgrade);
      for (const [name, value] of answer.headers) response.headers.append(name, value);
      response.headers.append("x-svc-request-id", exchange.id);
      return response;
    }
    const response = status === 200 ? new Response(body) : new Response(body, { status });
    writeFields(response, answer.headers, ["x-svc-request-id", exchange.id]);
    return response;
  }
}

/**
 * Makes the edge: a handler that answers requests for all sites that
 * `resolveHost` knows. It answers at once, without a promise, when site and
 * file are in memory.
 *
 * @throws {TypeError} If `trustProxy` holds something that is no CIDR
 */
export function createEdge(options: EdgeOptions): EdgeHandler {
  const edge = new Edge(options);
  return (request, connection) => edge.handle(request, connection);
}
