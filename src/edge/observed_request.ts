/** @module A trace of the edge's handling of a request, for developers. */
import type { Decision, RequestFacts } from "../rules/mod.ts";
import { joinedHeader } from "./messages/header_list.ts";
import type { EdgeResponse } from "./response/edge_response.ts";
import type { RequestContext } from "./request_context.ts";

export interface ObservedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly host: string;
  /** Path and query as the client sent them. */
  readonly target: string;
  readonly status: number;
  /** Time until the response headers were ready, in milliseconds. */
  readonly durationMs: number;
  readonly decision: Decision;
  /** Missing if no rule was evaluated. */
  readonly facts: RequestFacts | undefined;
  /** The cache status, such as `HIT`. Missing if the cache was not used. */
  readonly cache: string | undefined;
  /** The source of the response: a layer's name, another site's host, or a part of the edge. */
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

/** Summarizes a request once its response is ready. */
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
