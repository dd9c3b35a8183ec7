/** @module Errors that explain why an outbound request failed. */

export type OutboundErrorCode =
  /** The URL or a header is not allowed. Nothing was sent. */
  | "bad_request"
  /** The name or address is private or reserved. Nothing was sent. */
  | "refused_address"
  | "refused_port"
  | "dns_failed"
  | "connect_failed"
  | "connect_timeout"
  | "tls_failed"
  /** No data was transferred in either direction for too long. */
  | "idle_timeout"
  /** The connection was closed before the response was complete. */
  | "reset"
  /** The response is not well-formed HTTP/1.1. */
  | "bad_response"
  | "too_many_redirects"
  | "aborted";

/** The message is for logs and authors. It contains no data from the peer. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";

  constructor(readonly code: OutboundErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}
