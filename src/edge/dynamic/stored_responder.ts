/**
 * Answers requests with fresh stored responses, and does nothing else: all that an
 * edge without functions, servers and other sites can do for them.
 *
 * @module
 */
import { type Decision, ORIGIN_HANDLE } from "../../rules/mod.ts";
import { type CachedResponse, cacheKey, type HttpCache } from "../cache/mod.ts";
import { isSocketRequest, type RequestTarget, storedPageKey } from "../compute/mod.ts";
import { type HeaderList, isLoop } from "../messages/mod.ts";
import { type PipelinePlan, planPipeline } from "../pipeline/mod.ts";
import type { ClientRequest } from "../request/mod.ts";
import type { EdgeResponse } from "../response/mod.ts";
import type { Site } from "../site/mod.ts";
import { cacheRequest, rememberKey } from "./cache_request.ts";
import { type DynamicContext, InitialRequest } from "./dynamic_context.ts";

/** The plan of a request without a pipeline: it goes to the origin. */
const NO_PIPELINE = planPipeline([{ handle: ORIGIN_HANDLE }]);

export interface StoredResponderOptions {
  readonly cache: HttpCache;
  /** Name of this edge in `Via`. */
  readonly pseudonym: string;
}

export class StoredResponder {
  readonly #plans = new WeakMap<readonly unknown[], PipelinePlan>();

  constructor(private readonly options: StoredResponderOptions) {}

  /** The steps of a decision in their order. */
  planOf({ pipeline }: Decision): PipelinePlan {
    if (pipeline === undefined) return NO_PIPELINE;
    let plan = this.#plans.get(pipeline.steps);
    if (plan === undefined) {
      plan = planPipeline(pipeline.steps);
      this.#plans.set(pipeline.steps, plan);
    }
    return plan;
  }

  /** Whether a request has passed this edge before. */
  isInLoop(request: ClientRequest): boolean {
    return isLoop({ via: request.header("via"), pseudonym: this.options.pseudonym });
  }

  /** The fresh response for a URL whose cache key is known, where no step runs before the cache. */
  hit(
    { clientRequest, site, facts, cachedDecision, keepCopy }: DynamicContext,
  ): EdgeResponse | undefined {
    if (cachedDecision?.cacheKey === undefined) return undefined;
    if (site.hasServers && isSocketRequest(clientRequest)) return undefined;
    const { common } = site;
    return edgeResponse(
      this.options.cache.fresh(cachedDecision.cacheKey, facts, { common, keepCopy }),
      common,
    );
  }

  /** The fresh response, where nothing but the cache is needed for it. */
  find(context: DynamicContext): EdgeResponse | undefined {
    const { clientRequest, site, decision, cachedDecision } = context;
    const { cache: rule, rewrite } = decision;
    clientRequest.readFields();
    if (rule?.type !== "cache" || this.isInLoop(clientRequest)) return undefined;
    if (cachedDecision?.cacheKey !== undefined) return this.hit(context);
    const plan = this.planOf(decision);
    if (plan.runsBeforeCache || isSocketRequest(clientRequest)) return undefined;
    const first = new InitialRequest(context);
    const originUrl = rewrite?.type === "external" ? rewrite.url : first.url;
    const request = cacheRequest(context, plan, { first, request: first, originUrl });
    rememberKey(context, plan, { request, rule });
    const { common } = site;
    return edgeResponse(
      this.options.cache.fresh(cacheKey(request, rule), request, { common, keepCopy: undefined }),
      common,
    );
  }

  /** Removes what the response to an unsafe request invalidates, from the caches of all edges. */
  invalidate(
    { method, host, path, rawQuery }: ClientRequest,
    { deploymentId }: Site,
    response: EdgeResponse,
  ): Promise<void> | undefined {
    return this.options.cache.invalidate({ method, host, path, rawQuery, deploymentId }, response);
  }

  /** The fresh page of a server's route. */
  page(site: Site, request: ClientRequest, target: RequestTarget): EdgeResponse | undefined {
    const resolution = site.content.resolve(request.method, target.path);
    if (resolution.type !== "compute") return undefined;
    const { route } = resolution;
    const key = storedPageKey({ site, request, target, route });
    if (key === undefined) return undefined;
    const { common } = site;
    const reader = {
      method: request.method,
      header: (name: string) => request.header(name) ?? undefined,
    };
    const found = this.options.cache.fresh(key, reader, { common });
    // The next route may have to answer.
    return found?.status === 404 && route.fallthrough ? undefined : edgeResponse(found, common);
  }
}

function edgeResponse(
  found: CachedResponse | undefined,
  common: HeaderList,
): EdgeResponse | undefined {
  if (found === undefined) return undefined;
  const { status, headers, body, bytes } = found;
  return { status, headers: withCommon(headers, common), body, bytes };
}

/** The fields with those that every response of the site carries. */
export function withCommon(headers: HeaderList, common: HeaderList): HeaderList {
  // A hit of the cache has these very field objects already.
  if (hasAll(headers, common)) return headers;
  const names = new Set(common.map(([name]) => name));
  return [...headers.filter(([name]) => !names.has(name)), ...common];
}

function hasAll(headers: HeaderList, wanted: HeaderList): boolean {
  for (const header of wanted) if (!headers.includes(header)) return false;
  return true;
}
