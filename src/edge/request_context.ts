/** @module A request, its site, and the decision that the rules made. */
import {
  createFacts,
  type Decision,
  evaluateRules,
  type EvaluationHooks,
  NO_DECISION,
  normalizePath,
  type RateLimitAction,
  type RequestFacts,
  type RuleRef,
  type Terminal,
} from "../rules/mod.ts";
import { isClosed } from "./access/site_access.ts";
import { keptPrivate } from "./response/lifetime_fields.ts";
import { checkOnce, type Header } from "./messages/header_list.ts";
import { isReading } from "./messages/messages.ts";
import {
  type NamedVerdict,
  rateLimitHeaders,
  refusalHeaders,
} from "./rate_limit/rate_limit_headers.ts";
import type { RateLimiter } from "./rate_limit/rate_limiter.ts";
import type { ClientRequest } from "./request/client_request.ts";
import { applyHeaderEdits, type EdgeResponse } from "./response/edge_response.ts";
import { ofOneSide } from "./site/rolling_sides.ts";
import type { Site } from "./site/site.ts";
import { isObjectPath } from "./site/site_objects.ts";
import type { PageMoves } from "./site/site_responder.ts";
import type { CachedDecision } from "./site_rules/decision_cache.ts";
import type { SiteRules } from "./site_rules/site_rules.ts";

/** The deployment of a page, as named by a request from that page. */
export interface PagePin {
  readonly pageId: string;
  /** Whether the ID is in the URL, where it separates the responses in caches. */
  readonly isInUrl: boolean;
}

interface ContextParts {
  readonly startedAt: number;
  readonly limiter: RateLimiter;
  /**
   * Whether this edge is a front edge. If so, the platform does the counting for all limits that
   * are not local.
   */
  readonly isFrontEdge: boolean;
}

/** The state of one request at the edge. The rules query it for files and rate limits. */
export class RequestContext implements EvaluationHooks, PageMoves {
  decision: Decision = NO_DECISION;
  /** The rate limits that the request was counted against; usually none. */
  limits: NamedVerdict[] | undefined;
  facts: RequestFacts | undefined;
  /** The cached decision for the URL of the request. */
  cachedDecision: CachedDecision | undefined;
  /** Whether a rule has a rate limit that only the platform counts. */
  lacksLimits = false;
  /** Names the earlier deployment that serves the request; `undefined` for the live deployment. */
  readonly pin: PagePin | undefined;

  readonly #parts: ContextParts;

  constructor(
    readonly clientRequest: ClientRequest,
    readonly site: Site,
    parts: ContextParts & { readonly pin?: PagePin | undefined },
  ) {
    this.#parts = parts;
    this.pin = parts.pin;
  }

  /**
   * Returns the same request for the earlier deployment that the request's page names. Objects are
   * not part of a deployment, so objects that the live deployment no longer serves become
   * unavailable immediately.
   */
  atEarlier(earlier: Site, pin: PagePin): RequestContext {
    const site = { ...earlier, objects: this.site.objects };
    return new RequestContext(this.clientRequest, site, { ...this.#parts, pin });
  }

  /** Returns this context as the routes' `PageMoves`. */
  get moves(): PageMoves {
    return this;
  }

  get startedAt(): number {
    return this.#parts.startedAt;
  }

  fileExists(path: string): boolean {
    return this.site.content.hasFile(path);
  }

  /**
   * Returns whether the rules let the client move to another path of the same page. Rules take
   * precedence. If they redirect that path, the page is served at its current path, so the two
   * redirects cannot form a loop.
   */
  canMoveTo(path: string): boolean {
    const { decision, site, facts, clientRequest } = this;
    if (decision.rewrite !== undefined) return false;
    if (site.rules === undefined || facts === undefined) return true;
    const there = createFacts({
      method: clientRequest.method,
      host: clientRequest.host,
      path,
      rawQuery: clientRequest.rawQuery,
      header: (name) => clientRequest.header(name),
      ip: clientRequest.ip,
      country: () => facts.country(),
      asn: () => facts.asn(),
      device: () => facts.device(),
    });
    const { terminal, rewrite } = evaluateRules(site.rules.compiled, there, {
      fileExists: (each) => this.fileExists(each),
      rateLimited: () => false,
    });
    return terminal.type !== "redirect" && rewrite === undefined;
  }

  /** Returns whether a rule denies the request, without counting it against limits. */
  isDenied(): boolean {
    const { site, clientRequest } = this;
    const path = normalizePath(clientRequest.rawPath);
    if (site.rules === undefined || typeof path !== "string") return false;
    clientRequest.path = path;
    const { terminal } = evaluateRules(site.rules.compiled, createFacts(clientRequest), {
      fileExists: (each) => this.fileExists(each),
      rateLimited: () => false,
    });
    return terminal.type === "deny";
  }

  rateLimited(rule: RuleRef, action: RateLimitAction): boolean {
    const { site, facts } = this;
    const { limiter, isFrontEdge } = this.#parts;
    if (isFrontEdge && action.local !== true) {
      this.lacksLimits = true;
      return false;
    }
    const scope = site.rules!.limitScopes[rule.index]!;
    const verdict = limiter.check({ scope, facts: facts! }, action);
    if (action.mode === "enforce") (this.limits ??= []).push({ name: rule.id, ...verdict });
    return !verdict.allowed;
  }
}

/** Keeps the page out of search engines. */
const NOINDEX: Header = ["x-robots-tag", "noindex"];

/**
 * Applies the rules' header edits, and adds the header fields that report rate limits. A rule can
 * remove the field that keeps a preview out of search engines, but no rule can let other caches
 * store a protected host's response.
 */
export function finishResponse(context: RequestContext, answer: EdgeResponse): EdgeResponse {
  const { gate, side } = context.site;
  const response = editResponse(context, answer);
  const edited = side === undefined
    ? response
    : { ...response, headers: ofOneSide(response.headers, side) };
  return gate !== undefined && isClosed(gate)
    ? { ...edited, headers: keptPrivate(edited.headers) }
    : edited;
}

function editResponse(
  { decision, limits, site }: RequestContext,
  answer: EdgeResponse,
): EdgeResponse {
  const { headerEdits, terminal } = decision;
  const { isIndexed } = site;
  if (isIndexed && headerEdits.length === 0 && limits === undefined) return answer;
  const response = isIndexed ? answer : { ...answer, headers: [...answer.headers, NOINDEX] };
  const edited = applyHeaderEdits(response, headerEdits);
  if (limits === undefined) return { ...response, headers: edited };
  const report = terminal.type === "rate_limited"
    ? refusalHeaders(limits)
    : rateLimitHeaders(limits);
  return { ...response, headers: [...edited, ...report] };
}

/**
 * Returns the redirect that a decision requires. If the decision is cached, the redirect is built
 * only once.
 */
export function redirectResponse(
  { status, location }: Extract<Terminal, { readonly type: "redirect" }>,
  { cachedDecision, site }: RequestContext,
): EdgeResponse {
  if (cachedDecision?.redirect !== undefined) return cachedDecision.redirect;
  const headers: Header[] = [["location", location], ...site.common];
  const response: EdgeResponse = { status, headers, body: null, bytes: 0 };
  return cachedDecision === undefined
    ? response
    : cachedDecision.redirect = { ...response, headers: checkOnce(headers) };
}

/**
 * Returns the redirect that a cached decision requires. Such a redirect depends only on the URL.
 */
export function cachedRedirect(
  context: RequestContext,
  { counters }: SiteRules,
): EdgeResponse | undefined {
  const { cachedDecision } = context;
  if (cachedDecision?.redirect === undefined) return undefined;
  context.decision = cachedDecision.decision;
  counters.add(cachedDecision.decision.matched);
  return cachedDecision.redirect;
}

/**
 * Returns whether a request to a server involves the HTTP cache. The cache is involved if a `cache`
 * or `bypass_cache` rule matches the request, or if the request's method may invalidate stored
 * responses.
 */
export function needsCache({ clientRequest, site, decision }: RequestContext): boolean {
  if (!site.hasServers) return false;
  const { method, path } = clientRequest;
  if (decision.cache === undefined && isReading(method)) return false;
  const { rewrite } = decision;
  const target = rewrite?.type === "internal" ? rewrite.path : path;
  if (isObjectPath(site, target)) return false;
  if (site.content.resolve(method, target).type !== "compute") return false;
  const past = site.past?.assetAt(target);
  return past === undefined || past instanceof Promise || !isReading(method);
}
