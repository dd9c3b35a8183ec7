/**
 * @module Decides what a front edge leaves to the platform. The edge itself only serves what a
 * site's rules and files determine (redirects, denials, and files with their headers), and those of
 * the platform's responses that it may store. For everything else, the platform evaluates the rules
 * again. A front edge can therefore respond earlier, but never allow more.
 */
import { answerOf } from "../lib/whole_answer.ts";
import { normalizePath } from "../rules/mod.ts";
import { isClosed } from "./access/site_access.ts";
import type { HttpCache } from "./cache/http_cache.ts";
import { type Destination, isDestination } from "./destination.ts";
import { isReading } from "./messages/messages.ts";
import { pagePinOf } from "./page_pin.ts";
import type { ClientRequest, MayKeep } from "./request/client_request.ts";
import type { RequestContext } from "./request_context.ts";
import type { EdgeResponse } from "./response/edge_response.ts";
import { writeFields } from "./response/response_fields.ts";
import type { Site } from "./site/site.ts";
import { targetOf } from "./site/route_target.ts";
import { upgradeClient } from "./upgrade_client.ts";

/** The process that handles requests that an edge cannot serve itself. */
export interface Origin {
  /**
   * Sends a client's request unchanged. Rejects if there is no response. With `mayKeep`, the
   * response states whether an edge may store it. If an edge may, rules have not edited the
   * response yet. If `signal` is set, it aborts the request instead of the client's signal. A
   * `refresh` does not count as a visit.
   */
  ask(
    request: ClientRequest,
    mayKeep?: MayKeep,
    signal?: () => AbortSignal,
  ): Promise<EdgeResponse>;
  /** Whether the edge may redirect visitors from HTTP to HTTPS. */
  redirectsToHttps(): boolean;
}

/** Prefix of paths that certificate authorities request and no site handles (RFC 8555, 8.3). */
const CHALLENGES = "/.well-known/acme-challenge/";

/**
 * Prefix of all paths that the platform itself serves on the hosts of sites, such as the paths of
 * objects.
 */
const OF_PLATFORM = "/_svc/";

/** Whether the origin handles a request regardless of the site's rules. */
export function isOfOrigin(
  origin: Origin,
  request: ClientRequest,
  site: Site | undefined,
): boolean {
  if (site === undefined || site.rolling !== undefined) return true;
  if (request.scheme === "http" && origin.redirectsToHttps()) return true;
  if (!isReading(request.method) || request.rawPath.startsWith(CHALLENGES)) return true;
  if (site.gate !== undefined && isClosed(site.gate)) return true;
  const pin = site.isProduction ? pagePinOf(request, site) : undefined;
  return pin !== undefined && !site.pageIds.has(pin.pageId);
}

/** Whether the origin must handle a request for which the rules made this decision. */
export function needsOrigin(
  context: RequestContext,
  decided: EdgeResponse | Destination,
): boolean {
  const { clientRequest, site } = context;
  // The decision may change once all facts are known.
  if (context.lacksLimits || clientRequest.lacksPlace) return true;
  if (!isDestination(decided)) return false;
  if (decided === "dynamic" || decided === "vitals") return true;
  if (decided !== "route") return false;
  const { path } = targetOf(context);
  if (site.ownPaths.has(path) || path.startsWith(OF_PLATFORM)) return true;
  if (site.images?.styleOf(path) !== undefined) return true;
  const resolution = site.content.resolve(clientRequest.method, path);
  // Before the edge redirects a visitor, it evaluates the rules for the other path.
  if (resolution.type === "moved") return site.rules !== undefined;
  return resolution.type !== "file";
}

/** Relays a client's request. An unsafe method invalidates cached responses. */
export async function relay(
  origin: Origin,
  clientRequest: ClientRequest,
  { site, cache }: { readonly site?: Site | undefined; readonly cache: HttpCache },
): Promise<Response> {
  const response = await origin.ask(clientRequest);
  const { method, host, rawPath, rawQuery } = clientRequest;
  if (site !== undefined && !isReading(method)) {
    const path = normalizePath(rawPath);
    const { deploymentId } = site;
    if (typeof path === "string") {
      cache.invalidate({ method, deploymentId, host, path, rawQuery }, response);
    }
  }
  return relayed(clientRequest, response);
}

/** Passes on a response from the platform unchanged, because it already has all header fields. */
export function relayed(
  clientRequest: ClientRequest,
  { status, headers, body, upgrade }: EdgeResponse,
): Response {
  if (upgrade !== undefined) {
    const response = upgradeClient(clientRequest, upgrade);
    for (const [name, value] of headers) response.headers.append(name, value);
    return response;
  }
  const response = answerOf(body, status);
  const last = headers.at(-1);
  if (last === undefined) response.headers.delete("content-type");
  else writeFields(response, headers.slice(0, -1), last);
  return response;
}
