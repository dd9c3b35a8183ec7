/**
 * @module The origin of a front edge: the platform, over HTTP. Requests are sent unchanged, with a
 * signature that identifies the client. Bodies and WebSockets are streamed in both directions.
 */
import { UnavailableError } from "../lib/unavailable_error.ts";
import { type ComputeRequest, connectRunningServer } from "../runtime/mod.ts";
import { ANSWERED_HERE } from "./cache/origin_request.ts";
import { isSocketRequest } from "./compute/compute_request.ts";
import { isFinalStatus, toEdgeResponse } from "./compute/server_response.ts";
import { discardBody } from "./messages/body.ts";
import { findHeader, type Header, type HeaderList, joinedHeader } from "./messages/header_list.ts";
import { endToEndHeaders } from "./messages/message_headers.ts";
import { CLIENT_GONE } from "./messages/messages.ts";
import type { Origin } from "./origin.ts";
import { type ClientRequest, KEEP_FIELD, type MayKeep } from "./request/client_request.ts";
import type { EdgeResponse } from "./response/edge_response.ts";

/** Timeout for a response's headers, in milliseconds. The platform's own timeouts are shorter. */
const HEAD_MS = 15 * 60_000;

/** Seconds after which a client may retry. */
const RETRY_AFTER_SECONDS = 1;

/** Prefix of header fields that only front edges send. */
const OWN_PREFIX = "x-svc-edge-";

/** The properties of a request that the signature covers. */
export interface RelayedClient {
  readonly method: string;
  /** Host, path and query. */
  readonly target: string;
  readonly ip: string;
  readonly scheme: "http" | "https";
}

interface RelayOptions extends Pick<Origin, "redirectsToHttps"> {
  /** Opens a connection to the platform. */
  readonly dial: () => Promise<Deno.Conn>;
  /**
   * Returns the header fields that identify the client, or `undefined` while no session is open.
   * Missing if another edge has already added these fields to the requests.
   */
  readonly sign?: ((client: RelayedClient) => HeaderList | undefined) | undefined;
  /** Whether the platform itself must determine the clients behind proxies. */
  readonly leavesProxies?: boolean | undefined;
  /**
   * Lowercase name of the header in which the platform rejects a signature. Missing if another
   * edge signs the requests. That edge then gets the rejection as its response.
   */
  readonly refusedHeader?: string | undefined;
}

export interface Relay extends Origin {
  /** Closes idle connections. */
  close(): void;
}

const unavailable = (message: string, cause?: unknown): UnavailableError =>
  new UnavailableError(message, { cause, retryAfter: RETRY_AFTER_SECONDS });

/**
 * Returns whether the platform streamed the response. The platform's runtime adds
 * `Vary: Accept-Encoding` only to streamed responses.
 */
const isOfStream = (headers: HeaderList): boolean =>
  joinedHeader(headers, "vary")?.toLowerCase().includes("accept-encoding") === true;

/** Creates the origin of a front edge, which passes requests on to the platform. */
export function createRelay(
  { dial, sign, leavesProxies, refusedHeader, redirectsToHttps }: RelayOptions,
): Relay {
  const server = connectRunningServer({ dial, timeoutMs: HEAD_MS });

  function requestFor(
    request: ClientRequest,
    { mayKeep, signal = () => request.signal }: {
      readonly mayKeep: MayKeep | undefined;
      readonly signal: (() => AbortSignal) | undefined;
    },
  ): ComputeRequest {
    // A refresh must return the whole response, which the cache then stores.
    const isRefresh = mayKeep === "refresh";
    const method = isRefresh ? "GET" : request.method;
    const target = request.target.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
    const { authority, ip, scheme } = leavesProxies === true ? request.peer : request;
    const signed = sign === undefined
      ? []
      : sign({ method, target: `${authority}${target}`, ip, scheme });
    if (signed === undefined) throw unavailable("The edge has not reached the platform yet");
    const kept = endToEndHeaders(
      request.sentFields,
      (name) =>
        name === "host" || (sign !== undefined && name.startsWith(OWN_PREFIX)) ||
        (isRefresh && ANSWERED_HERE.has(name)),
    );
    const headers: Header[] = [["host", authority], ...kept, ...signed];
    if (mayKeep !== undefined) headers.push([KEEP_FIELD, mayKeep]);
    const body = request.body ?? request.content;
    return { method, target, headers, body, requestId: request.id, signal };
  }

  async function ask(
    request: ClientRequest,
    mayKeep?: MayKeep,
    signal?: () => AbortSignal,
  ): Promise<EdgeResponse> {
    const asked = requestFor(request, { mayKeep, signal });
    const result = isSocketRequest(request)
      ? await server.connect(asked)
      : await server.fetch(asked);
    if (result.type === "open") {
      const { socket: upgrade, headers } = result;
      return { status: 101, headers: endToEndHeaders(headers), body: null, bytes: 0, upgrade };
    }
    if (result.type === "failed") {
      if (result.reason !== "aborted") {
        throw unavailable("The platform could not respond", result.message);
      }
      return { status: CLIENT_GONE, headers: [], body: null, bytes: 0 };
    }
    const { status, whole, body } = result.response;
    const headers = endToEndHeaders(result.response.headers);
    const isRefused = refusedHeader !== undefined &&
      findHeader(headers, refusedHeader) !== undefined;
    if (!isFinalStatus(status) || isRefused) {
      discardBody(whole ?? body);
      throw unavailable(`The platform refused the request: ${status}`);
    }
    const response = toEdgeResponse(asked.method, { status, headers, body: whole ?? body }, []);
    return asked.method === "HEAD" && !isOfStream(headers) ? { ...response, body: null } : response;
  }

  return { ask, redirectsToHttps, close: () => server.close() };
}
