/**
 * Responses of servers in an edge that does not supervise them: it sends to a server
 * that runs what no page or other server can be meant by, and leaves everything else
 * to another edge.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import type { ComputeRequest, ComputeResult } from "../../runtime/mod.ts";
import { concernsCache, withoutConsumed } from "../cache/mod.ts";
import { passDeclared } from "../isr/mod.ts";
import { type HeaderList, isReading } from "../messages/mod.ts";
import type { EdgeResponse } from "../response/mod.ts";
import type { ComputeResolution } from "../static/mod.ts";
import {
  computeRequest,
  isSocketRequest,
  type RequestTarget,
  type ServerRequest,
} from "./compute_request.ts";
import { declaredRequest } from "./page_request.ts";
import { responseOf } from "./server_result.ts";
import { toEdgeResponse } from "./server_response.ts";

/** A server that another edge supervises. */
export interface DirectServer {
  /** Whether no response so far has been one to store. */
  readonly isPlain: boolean;
  /** Notes that a response was one to store. */
  noteDeclared(): void;
  /**
   * Sends a request; `undefined`, now or later, where the other edge has to answer it:
   * one that must not be sent twice has not been sent then.
   */
  fetch(request: ComputeRequest): Promise<ComputeResult | undefined> | undefined;
}

/** The servers that an edge may use without supervising them. */
export interface DirectServers {
  find(deploymentId: string, layer: string): DirectServer | undefined;
}

interface DirectContext {
  readonly site: { readonly deploymentId: string; readonly common: HeaderList };
  readonly request: ServerRequest;
  readonly target: RequestTarget;
  readonly route: ComputeResolution["route"];
  readonly servers: DirectServers;
  readonly now: Clock;
}

/** Whether a `GET` or `HEAD` has content, which is read in another way than a body. */
function hasContent(request: ServerRequest): boolean {
  const length = request.header("content-length");
  return (length !== null && length !== "0") || request.header("transfer-encoding") !== null;
}

/** Whether a request is for this server: no page, no other server, no WebSocket. */
function isSimple({ request, route }: DirectContext): boolean {
  if (route.fallthrough || isSocketRequest(request)) return false;
  if (!isReading(request.method)) return true;
  return !route.revalidate && !hasContent(request);
}

async function settle(
  { site, request, target, route, now }: DirectContext,
  server: DirectServer,
  asked: Promise<ComputeResult | undefined>,
): Promise<EdgeResponse | undefined> {
  const result = await asked;
  if (result === undefined) return undefined;
  const response = responseOf(route.layer.name, result);
  if (!concernsCache(response.headers)) {
    return toEdgeResponse(request.method, response, site.common);
  }
  if (route.revalidate !== undefined || !isReading(request.method)) {
    const headers = withoutConsumed(response.headers);
    return toEdgeResponse(request.method, { ...response, headers }, site.common);
  }
  // The next requests go to the edge that stores such responses.
  server.noteDeclared();
  const passed = passDeclared(declaredRequest(request, target), response, now());
  return toEdgeResponse(request.method, passed, site.common);
}

/**
 * Answers from a server that runs; `undefined`, now or later, where the edge has to
 * answer that supervises it.
 *
 * @throws {ComputeFailedError} If the server has failed
 */
export function respondDirectly(
  context: DirectContext,
): Promise<EdgeResponse | undefined> | undefined {
  const { site, request, target, route, servers } = context;
  const server = servers.find(site.deploymentId, route.layer.name);
  if (server === undefined || !isSimple(context)) return undefined;
  // What a server declares cacheable may be stored already.
  const mayBeStored = route.revalidate === undefined && isReading(request.method);
  if (mayBeStored && !server.isPlain) return undefined;
  const asked = server.fetch(computeRequest(request, target));
  return asked === undefined ? undefined : settle(context, server, asked);
}
