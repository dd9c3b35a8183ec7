/**
 * External rewrites: asks another site and passes its answer on, streaming both
 * ways. What goes wrong there is told by status and request id alone.
 *
 * @module
 */
import { type LazySignal, OutboundError, type OutboundFetch } from "../../runtime/mod.ts";
import {
  type Hop,
  type PipelineRequest,
  type PipelineResponse,
  requestHeadersFor,
  responseHeadersFrom,
  withOneHopLess,
} from "../messages/mod.ts";

/** An upstream could not answer. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";

  constructor(readonly status: 502 | 504, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** Failures that mean "too late" rather than "wrong" (RFC 9110, 15.6.5). */
const TIMEOUTS = new Set(["connect_timeout", "idle_timeout"]);

export interface ProxyOptions {
  readonly hop: Hop;
  /** Ends the request when the client has gone; missing where others wait too. */
  readonly signal?: LazySignal;
}

/**
 * Sends a request to another site, at `url`, with a body of its own or with the
 * content that its client sent along.
 *
 * @throws {ProxyError} where it does not answer, or may not be asked.
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
    const answer = await outbound({
      method: request.method,
      url,
      headers: withOneHopLess(request.method, requestHeadersFor(request.headers, hop)),
      body,
      ...(signal === undefined ? {} : { signal }),
    });
    return {
      status: answer.status,
      headers: responseHeadersFrom(answer.headers),
      body: answer.bytes ?? answer.body,
    };
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    const status = TIMEOUTS.has(cause.code) ? 504 : 502;
    throw new ProxyError(status, `Can not reach ${new URL(url).host}: ${cause.code}`, {
      cause,
    });
  }
}
