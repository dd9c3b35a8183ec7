/** @module Requests for a server: directly, from the ISR cache, or as a WebSocket. */
import type { ComputeRequest, ComputeResult, ComputeSocketResult } from "../../runtime/mod.ts";
import type { CachedResponse } from "../cache/types.ts";
import { concernsCache, withoutConsumed } from "../cache/own_fields.ts";
import type { IsrCache } from "../isr/isr_cache.ts";
import type { PageOptions } from "../isr/page_context.ts";
import type { PageRequest } from "../isr/types.ts";
import { discardBody } from "../messages/body.ts";
import type { HeaderList } from "../messages/header_list.ts";
import { isReading, type OriginResponse } from "../messages/messages.ts";
import type { EdgeResponse } from "../response/edge_response.ts";
import type { ComputeResolution, SiteContent } from "../static/site_content.ts";
import {
  computeRequest,
  isSocketRequest,
  type RequestTarget,
  type ServerRequest,
  socketRequest,
} from "./compute_request.ts";
import { declaredRequest, pageRequest, pageResponse } from "./page_request.ts";
import { isFinalStatus, originResponse, toEdgeResponse } from "./server_response.ts";
import { ComputeFailedError } from "./compute_failure.ts";

/** @throws {ComputeFailedError} */
function responseOf(
  layer: string,
  result: ComputeResult | Extract<ComputeSocketResult, { readonly type: "response" | "failed" }>,
): OriginResponse {
  if (result.type === "failed") {
    throw new ComputeFailedError(layer, result.reason, result.message);
  }
  const response = originResponse(result.response);
  if (isFinalStatus(response.status)) return response;
  discardBody(response.body);
  throw new ComputeFailedError(layer, "invalid_response", `Its status is ${response.status}`);
}

/** The COMPUTE layers of one deployment, by name. */
export interface SiteCompute {
  /** Sends a request to a layer's server, and starts the server if needed. Never rejects. */
  fetch(layer: string, request: ComputeRequest): Promise<ComputeResult>;
  /** Opens a WebSocket to a layer's server. Never rejects. */
  connect(layer: string, request: Omit<ComputeRequest, "body">): Promise<ComputeSocketResult>;
  /** Pages of routes with `revalidate`, and pages whose responses declare themselves cacheable. */
  readonly pages: IsrCache;
}

/** Caching options of a request to a server. */
export interface ComputeUse {
  /**
   * Source of the caching decision: the deployment (whose routes take precedence over its
   * responses), or a `cache` or `bypass_cache` rule. A rule's cache is in front of the server.
   */
  readonly caching: "deployment" | "rule";
}

/** A request that terminal routing sends to a COMPUTE layer. */
interface ComputeContext extends ComputeUse {
  /** The remaining routes, and the fields that every response of the site has. */
  readonly site: { readonly content: Pick<SiteContent, "after">; readonly common: HeaderList };
  readonly compute: SiteCompute;
  readonly request: ServerRequest;
  readonly target: RequestTarget;
  readonly resolution: ComputeResolution;
}

/** Means that the server responded with a 404, so the next route is tried. */
export type Missing = "missing";

/**
 * Whether a 404 leads to the next route. If the request has a body, which can be sent only once,
 * the next route must not lead to another server.
 */
function fallsThrough({ site, request, target, resolution }: ComputeContext): boolean {
  if (!resolution.route.fallthrough) return false;
  if (request.body === null) return true;
  return site.content.after(request.method, target.path, resolution).type !== "compute";
}

function settle(context: ComputeContext, response: OriginResponse): EdgeResponse | Missing {
  if (response.status === 404 && fallsThrough(context)) {
    discardBody(response.body);
    return "missing";
  }
  return toEdgeResponse(context.request.method, response, context.site.common);
}

/**
 * Returns the server's response to the client's own request. A rule's cache sees all of the
 * response's fields.
 */
async function fetchOwn(
  { compute, request, target, resolution }: ComputeContext,
): Promise<OriginResponse> {
  const { name } = resolution.route.layer;
  return responseOf(name, await compute.fetch(name, computeRequest(request, target)));
}

async function fetchFromServer(context: ComputeContext): Promise<EdgeResponse | Missing> {
  const response = await fetchOwn(context);
  if (context.caching === "rule" || !concernsCache(response.headers)) {
    return settle(context, response);
  }
  return settle(context, { ...response, headers: withoutConsumed(response.headers) });
}

/** Sends the request to the server, and stores the response if it declares itself cacheable. */
async function fetchAndOffer(
  context: ComputeContext,
  known?: PageRequest,
): Promise<EdgeResponse | Missing> {
  const { pages } = context.compute;
  const requested = pages.requested();
  const response = await fetchOwn(context);
  if (!concernsCache(response.headers)) return settle(context, response);
  const request = known ?? declaredRequest(context.request, context.target);
  const page = { request, options: pageOptions(context, 0) };
  return settle(context, pages.offer(page, response, requested));
}

/** Serves a stored page that declared itself cacheable, or sends the request to the server. */
function fetchFromDeclared(
  context: ComputeContext,
): EdgeResponse | Missing | Promise<EdgeResponse | Missing> {
  const { pages } = context.compute;
  if (!pages.mayHaveDeclared) return fetchAndOffer(context);
  const request = declaredRequest(context.request, context.target);
  const finish = (
    response: CachedResponse | undefined,
  ): EdgeResponse | Missing | Promise<EdgeResponse | Missing> =>
    response === undefined ? fetchAndOffer(context, request) : finishPage(context, response);
  const found = pages.find(request, pageOptions(context, 0));
  return found instanceof Promise ? found.then(finish) : finish(found);
}

/** Connects to the server first, and upgrades the client only if the server accepts. */
async function openSocket(context: ComputeContext): Promise<EdgeResponse | Missing> {
  const { compute, request, target, resolution, site } = context;
  const { name } = resolution.route.layer;
  const result = await compute.connect(name, socketRequest(request, target));
  if (result.type !== "open") return settle(context, responseOf(name, result));
  return { status: 101, headers: site.common, body: null, bytes: 0, upgrade: result.socket };
}

function pageOptions(context: ComputeContext, revalidateSeconds: number): PageOptions {
  const { compute, resolution } = context;
  const { name } = resolution.route.layer;
  return {
    revalidateSeconds,
    stores404: !resolution.route.fallthrough,
    fetchShared: async (asked) => responseOf(name, await compute.fetch(name, asked)),
    fetchPrivate: () => fetchOwn(context),
  };
}

function finishPage(context: ComputeContext, response: CachedResponse): EdgeResponse | Missing {
  if (response.status !== 404 || !fallsThrough(context)) return pageResponse(response, context);
  discardBody(response.body);
  return "missing";
}

function fetchFromIsr(
  context: ComputeContext,
  seconds: number,
): EdgeResponse | Missing | Promise<EdgeResponse | Missing> {
  const { compute, request, target } = context;
  const response = compute.pages.handle(
    pageRequest(request, target),
    pageOptions(context, seconds),
  );
  return response instanceof Promise
    ? response.then((made) => finishPage(context, made))
    : finishPage(context, response);
}

/**
 * Responds from a COMPUTE layer, synchronously if the page is in memory.
 *
 * @throws {ComputeFailedError} If the server cannot respond
 */
export function respondFromCompute(
  context: ComputeContext,
): EdgeResponse | Missing | Promise<EdgeResponse | Missing> {
  const { request, resolution, caching } = context;
  const { revalidate } = resolution.route;
  if (isSocketRequest(request)) return openSocket(context);
  if (caching === "rule" || !isReading(request.method) || revalidate === 0) {
    return fetchFromServer(context);
  }
  return revalidate === undefined ? fetchFromDeclared(context) : fetchFromIsr(context, revalidate);
}
