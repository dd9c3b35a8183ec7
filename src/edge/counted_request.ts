/** @module The part of a request that traffic statistics keep. */
import type { CountedRequest, Layer } from "../traffic/mod.ts";
import { findHeader } from "./messages/header_list.ts";
import type { EdgeResponse } from "./response/edge_response.ts";
import type { RequestContext } from "./request_context.ts";
import { targetOf } from "./site/route_target.ts";

/** Returns the layer that responded. */
function layerOf(context: RequestContext, { headers }: EdgeResponse): Layer {
  const { decision, site, clientRequest: { method } } = context;
  if (decision.terminal.type !== "none") return "rules";
  const { pipeline, rewrite } = decision;
  const isExternal = rewrite?.type === "external";
  if (!site.hasServers && pipeline === undefined && !isExternal) return "static";
  const cached = findHeader(headers, "x-svc-cache");
  if (cached === "HIT" || cached === "STALE") return "cache";
  if (pipeline !== undefined) return "function";
  if (isExternal) return "proxy";
  const { type } = site.content.resolve(method, targetOf(context).path);
  return type === "compute" ? "server" : "static";
}

/**
 * Whether a person saw a page. Browsers indicate this in `Sec-Fetch-Dest`. Without that field,
 * every HTML document counts.
 */
function isPage({ clientRequest }: RequestContext, { status, headers }: EdgeResponse): boolean {
  if (clientRequest.method !== "GET" || (status !== 304 && (status < 200 || status > 299))) {
    return false;
  }
  const destination = clientRequest.header("sec-fetch-dest");
  if (destination === null) {
    return findHeader(headers, "content-type")?.startsWith("text/html") === true;
  }
  return destination === "document" && clientRequest.header("sec-purpose") === null;
}

/** Summarizes a request once its response is ready. */
export function countedRequest(
  context: RequestContext,
  response: EdgeResponse,
  facts: { readonly time: number; readonly durationMs: number },
): CountedRequest {
  const { clientRequest, site } = context;
  return {
    projectId: site.projectId,
    deploymentId: site.deploymentId,
    time: facts.time,
    host: clientRequest.host,
    client: clientRequest,
    layer: layerOf(context, response),
    status: response.status,
    bytes: response.bytes ?? null,
    durationMs: facts.durationMs,
    page: isPage(context, response) ? clientRequest.rawPath : undefined,
  };
}
