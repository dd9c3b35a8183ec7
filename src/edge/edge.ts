/** @module The path of a request: host, site, rules, routes, file, response, access log. */
import { addField, hasField } from "../lib/raw_fields.ts";
import { answerOf, isWhole } from "../lib/whole_answer.ts";
import {
  createFacts,
  type Decision,
  evaluateRules,
  normalizePath,
  type RequestFacts,
} from "../rules/mod.ts";
import { withoutGateCookies } from "./access/gate_cookies.ts";
import { Gatekeeper } from "./access/gatekeeper.ts";
import { isClosed, type SiteGate } from "./access/site_access.ts";
import { recordOf } from "./access_record.ts";
import { ComputeFailedError } from "./compute/compute_failure.ts";
import { DynamicResponder, isDynamic } from "./dynamic/dynamic_responder.ts";
import { FormEndpoint } from "./forms/form_endpoint.ts";
import { ImageResponder, type OwnSource } from "./images/image_responder.ts";
import { SourceRequest } from "./images/source_request.ts";
import { isReading } from "./messages/messages.ts";
import { makePseudonym } from "./messages/message_headers.ts";
import { createRateLimiter, randomSeed, type RateLimiter } from "./rate_limit/rate_limiter.ts";
import { type ClientLookups, ClientRequest, type Connection } from "./request/client_request.ts";
import { TrustedProxies } from "./request/trusted_proxies.ts";
import { edgePage, UNKNOWN_HOST } from "./response/error_pages.ts";
import type { EdgeResponse } from "./response/edge_response.ts";
import { writeFields } from "./response/response_fields.ts";
import { failureResponse, type SiteEndpoint, SiteResponder } from "./site/site_responder.ts";
import { ruleIds, type Site } from "./site/site.ts";
import { DecisionCache } from "./site_rules/decision_cache.ts";
import { chooseSide } from "./site/rolling_sides.ts";
import type { SiteRules } from "./site_rules/site_rules.ts";
import { isVitalsPath, VitalsEndpoint } from "./vitals/vitals_endpoint.ts";
import { countedRequest } from "./counted_request.ts";
import { respondAsFinalRecipient } from "./final_recipient.ts";
import type { EdgeHandler, EdgeOptions } from "./edge_options.ts";
import { forEdgeCache, respondFromEdgeCache } from "./edge_cache.ts";
import { isOfOrigin, needsOrigin, type Origin, relay, relayed } from "./origin.ts";
import { observedRequest } from "./observed_request.ts";
import { refusalOf } from "./refused_request.ts";
import {
  cachedRedirect,
  finishResponse,
  needsCache,
  redirectResponse,
  RequestContext,
} from "./request_context.ts";
import { targetOf } from "./site/route_target.ts";
import { edgeFault, isPassing } from "./edge_fault.ts";
import { finishPage, hasPageCookie, pagePinOf, withoutPageCookie } from "./page_pin.ts";
import { upgradeClient } from "./upgrade_client.ts";
import { type Destination, fileOf, isDestination } from "./destination.ts";

class Edge {
  readonly #limiter: RateLimiter;
  readonly #options: EdgeOptions;
  readonly #siteResponder: SiteResponder;
  readonly #dynamic: DynamicResponder;
  readonly #gatekeeper: Pick<Gatekeeper, "judge">;
  readonly #vitals: VitalsEndpoint;
  readonly #decisions = new DecisionCache();
  readonly #lookups: ClientLookups;
  readonly #stopwatch: () => number;

  constructor(options: EdgeOptions) {
    this.#options = options;
    const { now, random, cache, outbound } = options;
    const keeper = options.access;
    this.#gatekeeper = keeper === undefined
      ? { judge: (request) => Promise.resolve({ ...edgePage(request, 401), isEdgePage: false }) }
      : new Gatekeeper({ keeper, now, random });
    const limiter = this.#limiter = createRateLimiter({ now, seed: randomSeed(random) });
    this.#vitals = new VitalsEndpoint(limiter, options.countVitals);
    const pseudonym = makePseudonym(random);
    this.#siteResponder = new SiteResponder({
      cacheBytes: options.cacheBytes,
      images: this.#imageEndpoint(pseudonym),
      forms: new FormEndpoint(limiter),
    });
    this.#dynamic = new DynamicResponder({
      siteResponder: this.#siteResponder,
      cache,
      outbound,
      pseudonym,
      onError: (error, requestId) => options.onError?.(error, requestId),
    });
    this.#stopwatch = options.stopwatch ?? (() => performance.now());
    const { geo, asn, trustProxy: trusted = [], forwardedHeader } = options;
    const proxies = trusted.length === 0 ? undefined : new TrustedProxies(trusted, forwardedHeader);
    this.#lookups = { proxies, geo, asn };
  }

  /** Handles a request. Returns a promise only if it has to wait. */
  handle(request: Request, connection: Connection): Response | Promise<Response> {
    const startedAt = this.#stopwatch();
    const clientRequest = new ClientRequest(request, this.#options.requestId(), {
      connection,
      lookups: this.#lookups,
    });
    const refusal = refusalOf(clientRequest);
    if (refusal !== undefined) return this.#respond(clientRequest, refusal);
    const site = this.#options.resolveHost(clientRequest.host);
    if (site instanceof Promise) {
      return site.then(
        (found) => this.#serve(clientRequest, found, startedAt),
        (error) => this.#respond(clientRequest, this.#fault(clientRequest, error)),
      );
    }
    return this.#serve(clientRequest, site, startedAt);
  }

  #serve(
    clientRequest: ClientRequest,
    site: Site | undefined,
    startedAt: number,
  ): Response | Promise<Response> {
    const { origin } = this.#options;
    if (origin !== undefined && isOfOrigin(origin, clientRequest, site)) {
      return this.#relay(origin, clientRequest, site);
    }
    if (site === undefined) {
      return this.#respond(clientRequest, edgePage(clientRequest, 404, { words: UNKNOWN_HOST }));
    }
    const { rolling } = site;
    const seen = rolling === undefined ? site : chooseSide(site, rolling, clientRequest);
    const context = this.#contextOf(clientRequest, seen, startedAt);
    const { gate } = seen;
    return gate !== undefined && isClosed(gate)
      ? this.#serveMembers(context, gate)
      : this.#servePage(context);
  }

  #contextOf(clientRequest: ClientRequest, site: Site, startedAt: number): RequestContext {
    const parts = { limiter: this.#limiter, isFrontEdge: this.#options.origin !== undefined };
    return new RequestContext(clientRequest, site, { startedAt, ...parts });
  }

  #relay(origin: Origin, clientRequest: ClientRequest, site?: Site): Promise<Response> {
    return relay(origin, clientRequest, { site, cache: this.#options.cache })
      .catch((error) => this.#respond(clientRequest, this.#fault(clientRequest, error)));
  }

  /** Responds from a front edge's cache of the platform's responses, or asks the platform. */
  #askOrigin(
    origin: Origin,
    context: RequestContext,
    decided: EdgeResponse | Destination,
  ): Response | Promise<Response> {
    const { clientRequest } = context;
    const { cache } = this.#options;
    const asked = respondFromEdgeCache(context, decided, { origin, cache });
    if (asked === undefined) return this.#relay(origin, clientRequest);
    if (!(asked instanceof Promise)) return this.#settle(context, asked.response);
    return asked.then(
      ({ response, isFinal }) =>
        isFinal ? relayed(clientRequest, response) : this.#settle(context, response),
      (error) => this.#respond(clientRequest, this.#fault(clientRequest, error)),
    );
  }

  /** Handles a protected host. Visitors without access cannot reach any part of the site. */
  async #serveMembers(context: RequestContext, gate: SiteGate): Promise<Response> {
    const { clientRequest, site } = context;
    try {
      const refusal = await this.#gatekeeper.judge(clientRequest, { ...site, gate });
      if (refusal !== undefined) return await this.#settle(context, refusal);
    } catch (error) {
      return this.#finish(context, this.#fault(clientRequest, error, site));
    }
    clientRequest.hideCookies(withoutGateCookies);
    return await this.#servePage(context);
  }

  /** Serves the deployment whose page sent the request, or else the live deployment. */
  #servePage(context: RequestContext): Response | Promise<Response> {
    const { clientRequest, site } = context;
    if (hasPageCookie(site)) clientRequest.hideCookies(withoutPageCookie);
    const { past } = site;
    const pin = past?.hasPages === true ? pagePinOf(clientRequest, site) : undefined;
    if (past === undefined || pin === undefined) return this.#serveAll(context);
    const earlier = past.siteOf(pin.pageId);
    // If the live deployment denies the request, an earlier deployment must not serve it.
    const next = (found: Site | undefined) =>
      this.#serveAll(
        found === undefined || context.isDenied() ? context : context.atEarlier(found, pin),
      );
    if (!(earlier instanceof Promise)) return next(earlier);
    return earlier.then(next, (error) => this.#finish(context, this.#fault(clientRequest, error)));
  }

  #serveAll(context: RequestContext): Response | Promise<Response> {
    const { clientRequest, site } = context;
    try {
      const decided = this.#decide(context);
      const { origin } = this.#options;
      if (origin !== undefined && needsOrigin(context, decided)) {
        return this.#askOrigin(origin, context, decided);
      }
      const edgeResponse = isDestination(decided) ? this.#follow(context, decided) : decided;
      if (!(edgeResponse instanceof Promise)) return this.#settle(context, edgeResponse);
      return edgeResponse.then((settled) => this.#settle(context, settled), (error) => {
        if (origin !== undefined) return this.#relay(origin, clientRequest);
        return this.#settle(context, this.#fault(clientRequest, error, site));
      });
    } catch (error) {
      return this.#settle(context, this.#fault(clientRequest, error, site));
    }
  }

  /** Replaces an edge page with the site's own page, if the site has one. */
  #settle(context: RequestContext, edgeResponse: EdgeResponse): Response | Promise<Response> {
    if (edgeResponse.isEdgePage !== true) return this.#finish(context, edgeResponse);
    const { clientRequest, site } = context;
    try {
      const page = this.#siteResponder.failurePage(site, clientRequest, edgeResponse);
      if (!(page instanceof Promise)) return this.#finish(context, page);
      return page.catch((error) => this.#lostPage(clientRequest, error, edgeResponse))
        .then((settled) => this.#finish(context, settled));
    } catch (error) {
      return this.#finish(context, this.#lostPage(clientRequest, error, edgeResponse));
    }
  }

  /** Falls back to the edge's page, and reports that the site's own page cannot be read. */
  #lostPage(clientRequest: ClientRequest, error: unknown, own: EdgeResponse): EdgeResponse {
    this.#options.onError?.(error, clientRequest.id);
    return own;
  }

  /** Serves a request that the rules let through. */
  #follow(context: RequestContext, way: Destination): EdgeResponse | Promise<EdgeResponse> {
    const { clientRequest, site, decision, facts, cachedDecision } = context;
    if (way === "route") {
      return this.#siteResponder.route(site, clientRequest, targetOf(context), context);
    }
    if (way === "vitals") return this.#vitals.respond(clientRequest, site);
    if (way !== "dynamic") return this.#siteResponder.file(site, clientRequest, way);
    return this.#dynamic.respond({
      clientRequest,
      site,
      decision,
      facts: facts!,
      cachedDecision,
      moves: context,
    });
  }

  /** Applies the rules. Returns their response, or the destination of the request. */
  #decide(context: RequestContext): EdgeResponse | Destination {
    const { clientRequest, site } = context;
    const { method, rawPath } = clientRequest;
    const { rules } = site;
    const isRead = isReading(method);
    const last = isRead ? undefined : respondAsFinalRecipient(clientRequest, site.common);
    if (last !== undefined) return last;
    if (method === "GET" && rules !== undefined) {
      context.cachedDecision = this.#decisions.get(clientRequest.unproxiedUrl, rules);
      const redirect = cachedRedirect(context, rules);
      if (redirect !== undefined) return redirect;
    }
    const file = isRead ? site.content.knownFile(method, rawPath) : undefined;
    if (file !== undefined && rules === undefined) return file;
    const path = context.cachedDecision?.path ??
      (file === undefined ? normalizePath(rawPath) : rawPath);
    if (typeof path !== "string") return edgePage(clientRequest, 400, { headers: site.common });
    clientRequest.path = path;
    if (rules !== undefined) {
      const facts = context.facts = createFacts(clientRequest);
      const decision = context.decision = this.#evaluate(context, rules, facts);
      const { terminal } = decision;
      if (terminal.type === "rate_limited") {
        return edgePage(clientRequest, 429, { headers: site.common });
      }
      if (terminal.type === "deny") {
        return edgePage(clientRequest, terminal.status, { headers: site.common });
      }
      if (terminal.type === "redirect") return redirectResponse(terminal, context);
      if (site.hasVitals && file === undefined && isVitalsPath(path)) return "vitals";
      if (isDynamic(decision) || (file === undefined && needsCache(context))) return "dynamic";
      if (decision.rewrite?.type === "internal") return "route";
    }
    if (file !== undefined) return file;
    return site.hasVitals && isVitalsPath(path) ? "vitals" : "route";
  }

  /** Returns the handler of image endpoints, or `undefined` if images are not converted. */
  #imageEndpoint(pseudonym: string): SiteEndpoint | undefined {
    const { images: service, outbound, now } = this.#options;
    if (service === undefined) return undefined;
    const responder = new ImageResponder({ service, outbound, pseudonym, now });
    return {
      respond: (site, request, target) => {
        const { images } = site;
        const style = images?.styleOf(target.path);
        if (images === undefined || style === undefined) return undefined;
        const { visitor } = request;
        // An image's source is never itself converted. Otherwise, a rule could create a loop.
        if (visitor === undefined || visitor instanceof SourceRequest) return undefined;
        return responder.respond({
          request,
          visitor,
          style,
          target,
          site: { ...site, images },
          open: (source) => this.#openSource(source, site),
        });
      },
    };
  }

  /** Evaluates the rules for an image's source as if the visitor had requested it separately. */
  #openSource(source: SourceRequest, site: Site): OwnSource {
    const context = this.#contextOf(source, site, this.#stopwatch());
    const decided = this.#decide(context);
    if (!isDestination(decided)) return { type: "refused", status: decided.status };
    const isForAll = site.rules === undefined || context.cachedDecision !== undefined;
    const file = fileOf(context, decided);
    const shown = { isForAll, read: () => this.#follow(context, file ?? decided) };
    return file === undefined ? { ...shown, type: "origin" } : { ...shown, type: "file", file };
  }

  /** Evaluates the rules, unless the decision for this URL is cached. */
  #evaluate(context: RequestContext, rules: SiteRules, facts: RequestFacts): Decision {
    let decision = context.cachedDecision?.decision;
    if (decision === undefined) {
      decision = evaluateRules(rules.compiled, facts, context);
      const { method, unproxiedUrl } = context.clientRequest;
      if (method === "GET" && unproxiedUrl !== "") {
        context.cachedDecision = this.#decisions.put(unproxiedUrl, rules, { facts, decision });
      }
    }
    rules.counters.add(decision.matched);
    return decision;
  }

  /**
   * Returns the response to an error. A failure of a site's server is written to the site's log. A
   * fault in the edge itself is reported to the operator. The client gets the request's ID.
   */
  #fault(clientRequest: ClientRequest, error: unknown, site?: Site): EdgeResponse {
    if (error instanceof ComputeFailedError && site !== undefined) {
      return failureResponse(error, clientRequest, site);
    }
    if (!isPassing(error)) this.#options.onError?.(error, clientRequest.id);
    return edgeFault(clientRequest, error, site?.common);
  }

  /** Applies header rules, builds the response and logs it, unless a front edge will do so. */
  #finish(context: RequestContext, edgeResponse: EdgeResponse): Response {
    const { clientRequest, site, decision: { hits, matched } } = context;
    const kept = forEdgeCache(context, edgeResponse, this.#options.cache);
    if (kept !== undefined) return this.#respond(clientRequest, kept);
    const finished = finishPage(context, finishResponse(context, edgeResponse));
    const response = this.#respond(clientRequest, finished);
    if (clientRequest.isRefresh) return response;
    const durationMs = this.#stopwatch() - context.startedAt;
    const time = this.#options.now() - durationMs;
    this.#options.record(
      recordOf(clientRequest, { site, response: edgeResponse, hits, time, durationMs }),
    );
    this.#options.match?.(ruleIds(site, matched));
    if (edgeResponse.isUncounted !== true) {
      this.#options.count?.(countedRequest(context, edgeResponse, { time, durationMs }));
    }
    this.#options.observe?.(observedRequest(context, { response: edgeResponse, durationMs }));
    return response;
  }

  #respond(clientRequest: ClientRequest, edgeResponse: EdgeResponse): Response {
    const { status, body, upgrade } = edgeResponse;
    if (upgrade !== undefined) {
      const response = upgradeClient(clientRequest, upgrade);
      for (const [name, value] of edgeResponse.headers) response.headers.append(name, value);
      response.headers.append("x-svc-request-id", clientRequest.id);
      return response;
    }
    const response = answerOf(body, status);
    writeFields(response, edgeResponse.headers, ["x-svc-request-id", clientRequest.id]);
    if (body instanceof Uint8Array && !isWhole(response)) {
      const { headers } = response;
      if (!hasField(headers, "content-length")) {
        addField(headers, ["content-length", String(body.byteLength)]);
      }
    }
    return response;
  }
}

/**
 * Creates the edge: a handler for the requests of all sites that `resolveHost` finds. If the site
 * and the file are in memory, the handler responds synchronously.
 *
 * @throws {TypeError} If an entry of `trustProxy` is not a CIDR
 */
export function createEdge(options: EdgeOptions): EdgeHandler {
  const edge = new Edge(options);
  return (request, connection) => edge.handle(request, connection);
}
