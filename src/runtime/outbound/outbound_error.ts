/**
 * Why an outbound request got no answer.
 *
 * @module
 */

export type OutboundErrorCode =
  | "aborted"
  | "connect_timeout"
  | "dns_failed"
  | "idle_timeout"
  | "invalid_request"
  | "invalid_response"
  | "refused_address"
  | "reset"
  | "too_many_redirects";

/** An outbound request failed; the code says how. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";

  constructor(readonly code: OutboundErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}
