/**
 * @module Handles requests that need a pipeline or another site, or the cache in front of either.
 */
import { type Decision, ORIGIN_HANDLE } from "../../rules/mod.ts";
import { isSocketRequest } from "../compute/compute_request.ts";
import { bodyLength, discardBody } from "../messages/body.ts";
import { findHeader, type HeaderList } from "../messages/header_list.ts";
import { isLoop } from "../messages/message_headers.ts";
import type { PipelineResponse } from "../messages/messages.ts";
import { type PipelinePlan, planPipeline } from "../pipeline/plan.ts";
import { edgePage } from "../response/error_pages.ts";
import type { EdgeResponse } from "../response/edge_response.ts";
import { hasNoContent, noContent } from "../response/no_content.ts";
import type { DynamicContext } from "./dynamic_context.ts";
import { type DynamicOptions, DynamicRequest } from "./dynamic_request.ts";

/** Whether a decision needs a pipeline or another site. */
export function isDynamic({ pipeline, rewrite }: Decision): boolean {
  return pipeline !== undefined || rewrite?.type === "external";
}

/** The plan for a request without a pipeline. The origin responds to the request. */
const NO_PIPELINE = planPipeline([{ handle: ORIGIN_HANDLE }]);

/** Message for the site's log. */
const LOOP = "The request is in a loop: a rewrite or a function sends it back to this site";

/** Serves requests through pipeline, cache and proxy. */
export class DynamicResponder {
  readonly #plans = new WeakMap<readonly unknown[], PipelinePlan>();

  readonly #options: DynamicOptions;

  constructor(options: DynamicOptions) {
    this.#options = options;
  }

  /** Runs pipeline, cache and proxy, synchronously if the cache has the response. */
  respond(context: DynamicContext): EdgeResponse | Promise<EdgeResponse> {
    const { clientRequest, site, decision } = context;
    const { pseudonym } = this.#options;
    clientRequest.readFields();
    if (isLoop({ via: clientRequest.header("via"), pseudonym })) {
      return { ...edgePage(clientRequest, 508, { headers: site.common }), problem: LOOP };
    }
    const hit = this.#hit(context);
    if (hit !== undefined) return hit;
    const plan = this.#planOf(decision);
    const response = new DynamicRequest(context, this.#options, plan).run();
    const finish = (made: PipelineResponse) => {
      // A step before the cache may have changed the response.
      const kept = plan.runsBeforeCache ? undefined : made.kept;
      return this.#toEdgeResponse(context, { ...made, kept });
    };
    return response instanceof Promise ? response.then(finish) : finish(response);
  }

  /** Returns the plan for the steps of a decision. */
  #planOf({ pipeline }: Decision): PipelinePlan {
    if (pipeline === undefined) return NO_PIPELINE;
    let plan = this.#plans.get(pipeline.steps);
    if (plan === undefined) {
      plan = planPipeline(pipeline.steps);
      this.#plans.set(pipeline.steps, plan);
    }
    return plan;
  }

  /**
   * Returns the fresh stored response for a URL whose cache key is known. A known key means that no
   * step runs before the cache.
   */
  #hit({ clientRequest, site, facts, cachedDecision }: DynamicContext): EdgeResponse | undefined {
    if (cachedDecision?.cacheKey === undefined) return undefined;
    if (cachedDecision.keyScheme !== clientRequest.scheme) return undefined;
    if (site.hasServers && isSocketRequest(clientRequest)) return undefined;
    const { common } = site;
    const found = this.#options.cache.fresh(cachedDecision.cacheKey, facts, common);
    if (found === undefined) return undefined;
    const { status, headers, body, bytes, kept } = found;
    return { status, headers: withCommon(headers, common), body, bytes, kept };
  }

  /** Adds the site's common header fields. Removes the body if the method or status forbids one. */
  #toEdgeResponse(
    { clientRequest, site }: DynamicContext,
    response: PipelineResponse,
  ): EdgeResponse {
    const headers: HeaderList = withCommon(response.headers, site.common);
    const { status, problem, upgrade, isEdgePage, kept } = response;
    if (upgrade !== undefined) return { status, headers, body: null, bytes: 0, upgrade };
    const edgeResponse = hasNoContent(clientRequest.method, status)
      ? bodilessResponse({ ...response, headers })
      : { status, headers, body: response.body, bytes: bodyBytes(response), isEdgePage, kept };
    return problem === undefined ? edgeResponse : { ...edgeResponse, problem };
  }
}

/** Returns the length of the body in bytes, or `undefined` if it is not known in advance. */
function bodyBytes({ body, headers }: PipelineResponse): number | undefined {
  return bodyLength(body, findHeader(headers, "content-length"));
}

/** Returns the response without its body, for `HEAD` or for a status that has no content. */
function bodilessResponse({ status, headers, body }: PipelineResponse): EdgeResponse {
  discardBody(body);
  return { status, headers, body: noContent(status, headers), bytes: 0 };
}

/** Returns the header fields, followed by those that every response of the site has. */
function withCommon(headers: HeaderList, common: HeaderList): HeaderList {
  // Cache hits already contain these header objects.
  if (hasAll(headers, common)) return headers;
  const names = new Set(common.map(([name]) => name));
  return [...headers.filter(([name]) => !names.has(name)), ...common];
}

function hasAll(headers: HeaderList, wanted: HeaderList): boolean {
  for (const header of wanted) if (!headers.includes(header)) return false;
  return true;
}
