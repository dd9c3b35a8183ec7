/**
 * Requests that a server of the deployment answers: directly, from the ISR cache,
 * or as a WebSocket.
 *
 * @module
 */
import type { ComputeRequest, ComputeResult, ComputeSocketResult } from "../../runtime/mod.ts";
import type { CachedResponse } from "../cache/mod.ts";
import type { IsrCache } from "../isr/mod.ts";
import { discardBody, type HeaderList, isReading, type OriginResponse } from "../messages/mod.ts";
import type { EdgeResponse } from "../response/mod.ts";
import type { ComputeResolution, SiteContent } from "../static/mod.ts";
import { ComputeFailedError } from "./compute_failure.ts";
import {
  computeRequest,
  isSocketRequest,
  type RequestTarget,
  type ServerRequest,
  socketRequest,
} from "./compute_request.ts";
import { pageRequest, pageResponse } from "./page_request.ts";
import { isFinalStatus, originResponse, toEdgeResponse } from "./server_response.ts";

/** The COMPUTE layers of one deployment, by name. */
export interface SiteCompute {
  /** Sends a request to the server of a layer, which is started if needed; never rejects. */
  fetch(layer: string, request: ComputeRequest): Promise<ComputeResult>;
  /** Opens a WebSocket to the server of a layer; never rejects. */
  connect(layer: string, request: Omit<ComputeRequest, "body">): Promise<ComputeSocketResult>;
  /** Pages of routes with `revalidate`. */
  readonly pages: IsrCache;
}

/** How a request may be answered. */
export interface ComputeUse {
  /** False where a rule bypasses caches. */
  readonly mayUseIsr: boolean;
}

/** A request that terminal routing sends to a COMPUTE layer. */
export interface ComputeContext extends ComputeUse {
  /** The routes that follow, and the fields that every response of the site carries. */
  readonly site: { readonly content: Pick<SiteContent, "after">; readonly common: HeaderList };
  readonly compute: SiteCompute;
  readonly request: ServerRequest;
  readonly target: RequestTarget;
  readonly resolution: ComputeResolution;
}

/** The server responded with a 404, and the next route is tried. */
export type Missing = "missing";

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

/**
 * Whether a 404 leads to the next route. A request body can be sent only once:
 * where it went to this server, no other server can get it.
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

async function fetchFromServer(context: ComputeContext): Promise<EdgeResponse | Missing> {
  const { compute, request, target, resolution } = context;
  const { name } = resolution.route.layer;
  const result = await compute.fetch(name, computeRequest(request, target));
  return settle(context, responseOf(name, result));
}

/** Connects to the server first: the client is upgraded only where the server accepts. */
async function openSocket(context: ComputeContext): Promise<EdgeResponse | Missing> {
  const { compute, request, target, resolution, site } = context;
  const { name } = resolution.route.layer;
  const result = await compute.connect(name, socketRequest(request, target));
  if (result.type !== "open") return settle(context, responseOf(name, result));
  return { status: 101, headers: site.common, body: null, bytes: 0, upgrade: result.socket };
}

function fetchFromIsr(
  context: ComputeContext,
  seconds: number,
): EdgeResponse | Missing | Promise<EdgeResponse | Missing> {
  const { compute, request, target, resolution } = context;
  const { name } = resolution.route.layer;
  const finish = (response: CachedResponse): EdgeResponse | Missing => {
    if (response.status !== 404 || !fallsThrough(context)) return pageResponse(response, context);
    discardBody(response.body);
    return "missing";
  };
  const response = compute.pages.handle(pageRequest(request, target), {
    revalidateSeconds: seconds,
    stores404: !resolution.route.fallthrough,
    fetchShared: async (asked) => responseOf(name, await compute.fetch(name, asked)),
    fetchPrivate: async () =>
      responseOf(name, await compute.fetch(name, computeRequest(request, target))),
  });
  return response instanceof Promise ? response.then(finish) : finish(response);
}

/**
 * Answers from a COMPUTE layer; without a promise where the page is in memory.
 *
 * @throws {ComputeFailedError} If the server cannot answer
 */
export function respondFromCompute(
  context: ComputeContext,
): EdgeResponse | Missing | Promise<EdgeResponse | Missing> {
  const { request, resolution, mayUseIsr } = context;
  const { revalidate } = resolution.route;
  if (isSocketRequest(request)) return openSocket(context);
  if (mayUseIsr && revalidate !== undefined && revalidate > 0 && isReading(request.method)) {
    return fetchFromIsr(context, revalidate);
  }
  return fetchFromServer(context);
}
