/**
 * Requests that need more than terminal routing: pipelines of functions, other
 * sites, and the cache in front of them.
 *
 * @module
 */
import type { Decision } from "../../rules/mod.ts";
import {
  bodyLength,
  discardBody,
  findHeader,
  type HeaderList,
  type PipelineResponse,
} from "../messages/mod.ts";
import { edgePage, type EdgeResponse, hasNoContent, noContent } from "../response/mod.ts";
import type { DynamicContext } from "./dynamic_context.ts";
import { type DynamicOptions, DynamicRequest } from "./dynamic_request.ts";
import { type StoredResponder, withCommon } from "./stored_responder.ts";

/** Whether a decision needs a pipeline or another site. */
export function isDynamic({ pipeline, rewrite }: Decision): boolean {
  return pipeline !== undefined || rewrite?.type === "external";
}

/** For the site's log. */
const LOOP = "The request is in a loop: a rewrite or a function sends it back to this site";

/** Answers requests by pipeline, cache and proxy. */
export class DynamicResponder {
  constructor(
    private readonly options: DynamicOptions & { readonly stored: StoredResponder },
  ) {}

  /** Runs pipeline, cache and proxy; without a promise where the cache has the response. */
  respond(context: DynamicContext): EdgeResponse | Promise<EdgeResponse> {
    const { clientRequest, site, decision } = context;
    const { stored } = this.options;
    clientRequest.readFields();
    if (stored.isInLoop(clientRequest)) {
      return { ...edgePage(clientRequest, 508, { headers: site.common }), problem: LOOP };
    }
    const hit = stored.hit(context);
    if (hit !== undefined) return hit;
    const response = new DynamicRequest(context, this.options, stored.planOf(decision)).run();
    return response instanceof Promise
      ? response.then((made) => this.#toEdgeResponse(context, made))
      : this.#toEdgeResponse(context, response);
  }

  /** Adds the fields of the site, and removes a body that method or status forbids. */
  #toEdgeResponse(
    { clientRequest, site }: DynamicContext,
    response: PipelineResponse,
  ): EdgeResponse {
    const headers: HeaderList = withCommon(response.headers, site.common);
    const { status, problem, upgrade } = response;
    if (upgrade !== undefined) return { status, headers, body: null, bytes: 0, upgrade };
    const edgeResponse = hasNoContent(clientRequest.method, status)
      ? bodilessResponse({ ...response, headers })
      : { status, headers, body: response.body, bytes: bodyBytes(response) };
    return problem === undefined ? edgeResponse : { ...edgeResponse, problem };
  }
}

/** Length of the body in bytes; `undefined` where it is not known in advance. */
function bodyBytes({ body, headers }: PipelineResponse): number | undefined {
  return bodyLength(body, findHeader(headers, "content-length"));
}

/** A response to `HEAD`, or one whose status has no content. */
function bodilessResponse({ status, headers, body }: PipelineResponse): EdgeResponse {
  discardBody(body);
  return { status, headers, body: noContent(status, headers), bytes: 0 };
}
