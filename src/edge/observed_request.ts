/**
 * What the edge did with a request, for whoever develops the site. The access log of a
 * platform keeps less of it.
 *
 * @module
 */
import type { Decision, RequestFacts } from "../rules/mod.ts";
import { joinedHeader } from "./messages/header_list.ts";
import type { EdgeResponse } from "./response/edge_response.ts";
import type { RequestContext } from "./request_context.ts";

/** One answered request. */
export interface ObservedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly host: string;
  /** Path and query as the client wrote them. */
  readonly target: string;
  readonly status: number;
  /** Time until the head of the response was ready, in milliseconds. */
  readonly durationMs: number;
  readonly decision: Decision;
  /** Missing where no rule was asked. */
  readonly facts: RequestFacts | undefined;
  /** What the cache did, such as `HIT`; missing where it was not asked. */
  readonly cache: string | undefined;
  /** What answered: the name of a layer, or the part of the edge that did. */
  readonly layer: string;
  /** Why something behind the edge failed. */
  readonly problem: string | undefined;
}

function layerOf({ clientRequest, site, decision }: RequestContext): string {
  const { terminal, rewrite, pipeline } = decision;
  if (terminal.type !== "none") return "rules";
  if (rewrite?.type === "external") return new URL(rewrite.url).host;
  if (pipeline !== undefined) return "pipeline";
  const { method, path: own } = clientRequest;
  const path = rewrite?.type === "internal" ? rewrite.path : own;
  const resolution = site.content.resolve(method, path);
  return resolution.type === "compute" ? resolution.route.layer.name : "files";
}

/** Sums up a request once its response is ready. */
export function observedRequest(
  context: RequestContext,
  { response, durationMs }: { readonly response: EdgeResponse; readonly durationMs: number },
): ObservedRequest {
  const { clientRequest, decision, facts } = context;
  const { id: requestId, method, host, target } = clientRequest;
  return {
    requestId,
    method,
    host,
    target,
    durationMs,
    decision,
    facts,
    status: response.status,
    cache: joinedHeader(response.headers, "x-svc-cache"),
    layer: layerOf(context),
    problem: response.problem,
  };
}
