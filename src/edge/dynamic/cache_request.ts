/** @module Requests as the cache sees them. */
import { type CacheDecision, createFacts } from "../../rules/mod.ts";
import { cacheKey } from "../cache/cache_key.ts";
import { FactsRequest } from "../cache/facts_request.ts";
import { findHeader } from "../messages/header_list.ts";
import type { PipelineRequest } from "../messages/messages.ts";
import type { PipelinePlan } from "../pipeline/plan.ts";
import type { DynamicContext } from "./dynamic_context.ts";

/**
 * Builds the request that determines the cache key: the public URL, the fields after the
 * client-side steps, and the origin. `first` is the request before the steps. `request` is the
 * request after them, which is sent to `originUrl`.
 */
export function cacheRequest(
  { clientRequest, site, facts }: DynamicContext,
  plan: PipelinePlan,
  { first, request, originUrl }: {
    readonly first: PipelineRequest;
    readonly request: PipelineRequest;
    readonly originUrl: string;
  },
): FactsRequest {
  const seen = request === first ? facts : createFacts({
    method: request.method,
    host: clientRequest.host,
    path: clientRequest.path,
    rawQuery: clientRequest.rawQuery,
    ip: clientRequest.ip,
    header: (name) => findHeader(request.headers, name),
    country: () => facts.country(),
    asn: () => facts.asn(),
    device: () => facts.device(),
  });
  return new FactsRequest(seen, {
    deploymentId: site.deploymentId,
    // `request.url` contains the client's scheme and port, because the origin sees them.
    originKey: `${plan.handle} ${request.url} ${originUrl}`,
  });
}

/**
 * Stores the cache key with the decision, for the next request with this URL. This is only possible
 * if no step runs before the cache and the key does not depend on the client.
 */
export function rememberKey(
  { cachedDecision, clientRequest }: DynamicContext,
  plan: PipelinePlan,
  { request, rule }: { readonly request: FactsRequest; readonly rule: CacheDecision },
): void {
  if (cachedDecision === undefined || plan.runsBeforeCache || rule.type !== "cache") return;
  if (rule.vary.length > 0) return;
  cachedDecision.cacheKey = cacheKey(request, rule);
  cachedDecision.keyScheme = clientRequest.scheme;
}
