/** @module Requests in the form that the server of a COMPUTE layer receives. */
import { queryText } from "../../rules/mod.ts";
import { type ComputeRequest, DEPTH_HEADER } from "../../runtime/mod.ts";
import type { BodyStream } from "../messages/body.ts";
import { endToEndHeaders } from "../messages/message_headers.ts";
import {
  findHeader,
  type Header,
  type HeaderList,
  type RequestFields,
} from "../messages/header_list.ts";
import { isSpoofable } from "../messages/spoofable_headers.ts";
import type { PipelineRequest } from "../messages/messages.ts";
import { withOneHopLess } from "../messages/max_forwards.ts";
import type { ClientRequest } from "../request/client_request.ts";

/** A request as the server receives it. The request's fields are read only if a server responds. */
export interface ServerRequest extends RequestFields {
  readonly method: string;
  readonly id: string;
  /** Host and port as the client named them, with the host in canonical form. */
  readonly authority: string;
  readonly scheme: "http" | "https";
  /** Address of the client. */
  readonly ip: string;
  /**
   * Number of nested requests from servers to their own platform that led to this request. Defaults
   * to 0.
   */
  readonly depth?: number;
  /** Returns all request fields, with names in lower case. */
  fields(): HeaderList;
  readonly body: BodyStream | null;
  /** Aborted when no one is waiting for the response anymore. */
  readonly signal: AbortSignal;
  /** The client's own request. Missing if the response is shared. */
  readonly visitor?: ClientRequest | undefined;
}

/**
 * The path and query of a request (RFC 9112, 3.2): normalized, and rewritten if a rule requires it.
 */
export interface RequestTarget {
  readonly path: string;
  /** Without its `?`. Empty if there is no query. */
  readonly query: string;
}

/** Whether a field is not forwarded, or may be written only by the edge itself. */
const isEdgeOwned = (name: string): boolean =>
  name === "expect" || name === "host" || isSpoofable(name);

/**
 * Handshake fields that each hop generates (RFC 6455, 4.1). `Sec-WebSocket-Protocol` is end-to-end.
 */
const HANDSHAKE = new Set([
  "sec-websocket-extensions",
  "sec-websocket-key",
  "sec-websocket-version",
]);

/**
 * Returns the request target. Characters that the request line cannot contain are encoded, because
 * some clients send them as they are.
 */
export function targetText({ path, query }: RequestTarget): string {
  return query === "" ? path : `${path}?${queryText(query)}`;
}

/** Returns the fields that the edge adds to each request to a server. */
export function hopHeaders(
  { authority, scheme, ip, id }: Pick<ServerRequest, "authority" | "scheme" | "ip" | "id">,
): Header[] {
  return [
    ["host", authority],
    ["x-forwarded-for", ip],
    ["x-forwarded-host", authority],
    ["x-forwarded-proto", scheme],
    ["x-svc-request-id", id],
  ];
}

function headersFor(request: ServerRequest): HeaderList {
  const headers = hopHeaders(request);
  if (request.depth) headers.push([DEPTH_HEADER, String(request.depth)]);
  const kept = endToEndHeaders(request.fields(), isEdgeOwned);
  for (const field of withOneHopLess(request.method, kept)) headers.push(field);
  if (findHeader(headers, "x-request-id") === undefined) headers.push(["x-request-id", request.id]);
  return headers;
}

/**
 * Returns the request to the server, with the client's end-to-end fields and the fields of the
 * edge.
 */
export function computeRequest(request: ServerRequest, target: RequestTarget): ComputeRequest {
  return {
    method: request.method,
    target: targetText(target),
    headers: headersFor(request),
    body: request.body,
    requestId: request.id,
    signal: () => request.signal,
  };
}

/** Returns the request for an upgrade, without the fields of the client's own handshake. */
export function socketRequest(
  request: ServerRequest,
  target: RequestTarget,
): Omit<ComputeRequest, "body"> {
  const { body: _, ...asked } = computeRequest(request, target);
  return { ...asked, headers: asked.headers.filter(([name]) => !HANDSHAKE.has(name)) };
}

/**
 * Whether a request is a valid WebSocket handshake (RFC 6455, 4.2.1). The edge
 * ignores any other `Upgrade`, as RFC 9110, 7.8 allows.
 */
export function isSocketRequest(request: Pick<ServerRequest, "method" | "header">): boolean {
  return request.method === "GET" &&
    request.header("upgrade")?.toLowerCase() === "websocket" &&
    request.header("sec-websocket-version")?.trim() === "13" &&
    request.header("sec-websocket-key") !== null;
}

/** Fields of the client's own connection, which no pipeline step can change. */
const OF_CONNECTION = new Set([...HANDSHAKE, "connection", "upgrade"]);

/** Applies the result of a pipeline's steps to the client's request. */
export function requestFromPipeline(
  { method, headers, body }: PipelineRequest,
  client: ServerRequest,
  signal: () => AbortSignal,
): ServerRequest {
  return {
    method,
    body,
    fields: () => headers,
    header: (name) =>
      OF_CONNECTION.has(name) ? client.header(name) : findHeader(headers, name) ?? null,
    id: client.id,
    authority: client.authority,
    scheme: client.scheme,
    ip: client.ip,
    depth: client.depth ?? 0,
    visitor: client.visitor,
    get signal() {
      return signal();
    },
  };
}
