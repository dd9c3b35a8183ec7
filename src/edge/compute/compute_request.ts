/**
 * A request as the server of a COMPUTE layer gets it.
 *
 * @module
 */
import type { ComputeRequest } from "../../runtime/mod.ts";
import {
  type BodyStream,
  endToEndHeaders,
  findHeader,
  type Header,
  type HeaderList,
  isSpoofable,
  type PipelineRequest,
  type RequestFields,
  withOneHopLess,
} from "../messages/mod.ts";

/** What a server is told of a request; read only where a server answers. */
export interface ServerRequest extends RequestFields {
  readonly method: string;
  readonly id: string;
  /** Host and port as the client named them. */
  readonly authority: string;
  readonly scheme: "http" | "https";
  /** Address of the client. */
  readonly ip: string;
  /** All request fields, names in lower case. */
  fields(): Iterable<[string, string]>;
  readonly body: BodyStream | null;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Path and query under which a server is asked: normalized, and rewritten where a rule did so. */
export interface RequestTarget {
  readonly path: string;
  /** Without its `?`; "" where there is none. */
  readonly query: string;
}

/** Fields that end at the edge, or that it alone speaks. */
const isEdgeOwned = (name: string): boolean =>
  name === "expect" || name === "host" || isSpoofable(name);

/** Fields of the handshake that each hop makes anew (RFC 6455, 4.1); `Sec-WebSocket-Protocol` is the client's. */
const HANDSHAKE = new Set([
  "sec-websocket-extensions",
  "sec-websocket-key",
  "sec-websocket-version",
]);

/** Path and query in one. */
export function targetText({ path, query }: RequestTarget): string {
  return query === "" ? path : `${path}?${query}`;
}

/** What every request to a server carries, whatever the client sent. */
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
  const kept = endToEndHeaders([...request.fields()], isEdgeOwned);
  headers.push(...withOneHopLess(request.method, kept));
  if (findHeader(headers, "x-request-id") === undefined) headers.push(["x-request-id", request.id]);
  return headers;
}

/** The request to the server: all that the client sent end to end, and who the client is. */
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

/** The same for an upgrade: without what belongs to the client's own handshake. */
export function socketRequest(
  request: ServerRequest,
  target: RequestTarget,
): Omit<ComputeRequest, "body"> {
  const { body: _, ...asked } = computeRequest(request, target);
  return { ...asked, headers: asked.headers.filter(([name]) => !HANDSHAKE.has(name)) };
}

/**
 * True for a WebSocket handshake that can be answered (RFC 6455, 4.2.1). Any
 * other `Upgrade` is one that the edge does not heed, as RFC 9110, 7.8 allows.
 */
export function isSocketRequest(request: Pick<ServerRequest, "method" | "header">): boolean {
  return request.method === "GET" &&
    request.header("upgrade")?.toLowerCase() === "websocket" &&
    request.header("sec-websocket-version")?.trim() === "13" &&
    request.header("sec-websocket-key") !== null;
}

/** What the handshake is read from: fields of the client's own connection, which no step can change. */
const OF_CONNECTION = new Set([...HANDSHAKE, "connection", "upgrade"]);

/** A request as the steps of a pipeline left it, with the client that it comes from. */
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
    get signal() {
      return signal();
    },
  };
}
