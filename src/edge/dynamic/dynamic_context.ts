/** @module A request with its rule decision, and its forms in the pipeline and the cache. */
import type { OriginRequest } from "../cache/types.ts";
import type { RequestTarget } from "../compute/compute_request.ts";
import type { BodyStream } from "../messages/body.ts";
import type { HeaderList } from "../messages/header_list.ts";
import type { PipelineRequest } from "../messages/messages.ts";
import { ClientRequest } from "../request/client_request.ts";
import type { PageMoves } from "../site/site_responder.ts";
import type { Site } from "../site/site.ts";
import type { CachedDecision } from "../site_rules/decision_cache.ts";
import { targetOf } from "../site/route_target.ts";
import type { Decision, RequestFacts } from "../../rules/mod.ts";

/** A request with the decision that the rules made. */
export interface DynamicContext {
  readonly clientRequest: ClientRequest;
  readonly site: Site;
  readonly decision: Decision;
  readonly facts: RequestFacts;
  readonly cachedDecision: CachedDecision | undefined;
  /** Decides whether the client may be redirected to the URL of a page. */
  readonly moves: PageMoves;
}

/**
 * The request as the first step sees it: after an internal rewrite, but before an external one.
 * Headers and body are only read when they are needed, so a cache hit reads neither.
 */
export class InitialRequest implements PipelineRequest {
  readonly method: string;
  readonly url: string;
  /** The path and query for terminal routing. */
  readonly target: RequestTarget;
  readonly #clientRequest: ClientRequest;
  #headers: HeaderList | undefined;

  constructor(context: DynamicContext) {
    const { clientRequest } = context;
    this.target = targetOf(context);
    const { path, query } = this.target;
    const target = query === "" ? path : `${path}?${query}`;
    this.method = clientRequest.method;
    this.url = `${clientRequest.scheme}://${clientRequest.authority}${target}`;
    this.#clientRequest = clientRequest;
  }

  get headers(): HeaderList {
    return this.#headers ??= this.#clientRequest.fields();
  }

  get body(): BodyStream | null {
    return this.#clientRequest.body;
  }
}

/**
 * Returns the request that the cache sends to the origin: without the fields that the cache
 * evaluates itself, but with the cache's conditions.
 */
export function requestForCache(request: PipelineRequest, how: OriginRequest): PipelineRequest {
  if (how.type === "as_is") return request;
  const kept = request.headers.filter(([name]) => !how.without.has(name));
  return { method: "GET", url: request.url, headers: [...kept, ...how.conditions], body: null };
}
