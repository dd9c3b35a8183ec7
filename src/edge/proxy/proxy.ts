/**
 * @module External rewrites: forwards a request to another site and the response to the client,
 * streaming in both directions. After a failure, clients see only the status and the request ID.
 */
import {
  type LazySignal,
  OutboundError,
  type OutboundErrorCode,
  type OutboundFetch,
} from "../../runtime/mod.ts";
import { CLIENT_GONE, type PipelineRequest, type PipelineResponse } from "../messages/messages.ts";
import { type Hop, requestHeadersFor, responseHeadersFrom } from "../messages/message_headers.ts";
import { withOneHopLess } from "../messages/max_forwards.ts";

/** The upstream did not respond, or the client disconnected first. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";

  constructor(readonly status: 499 | 502 | 504, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** Statuses of errors that do not result in a 502. A 504 means a timeout (RFC 9110, 15.6.5). */
const STATUS: Partial<Record<OutboundErrorCode, 499 | 504>> = {
  connect_timeout: 504,
  idle_timeout: 504,
  aborted: CLIENT_GONE,
};

interface ProxyOptions {
  readonly hop: Hop;
  /**
   * Aborts the request when the client disconnects. Not set if other requests wait for the same
   * response.
   */
  readonly signal?: LazySignal;
}

/**
 * Sends a request to another site at `url`. `body` is the request's own body, or the content of a
 * client's `GET` or `HEAD`.
 *
 * @throws {ProxyError} if the site does not respond, or if its address is not allowed
 */
export async function proxyRequest(
  outbound: OutboundFetch,
  { request, body, url }: {
    readonly request: PipelineRequest;
    readonly body: PipelineRequest["body"];
    readonly url: string;
  },
  options: ProxyOptions,
): Promise<PipelineResponse> {
  const { hop, signal } = options;
  try {
    const response = await outbound({
      method: request.method,
      url,
      headers: withOneHopLess(request.method, requestHeadersFor(request.headers, hop)),
      body,
      signal,
    });
    return {
      status: response.status,
      headers: responseHeadersFrom(response.headers),
      body: response.whole ?? response.body,
    };
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    const status = STATUS[cause.code] ?? 502;
    throw new ProxyError(status, `Cannot reach ${new URL(url).host}: ${cause.code}`, {
      cause,
    });
  }
}
