/** @module Converts the responses and failures of servers to results. */
import { dropHopByHop } from "../../lib/hop_by_hop.ts";
import { OutboundError } from "../http1/errors.ts";
import { WholeAnswer } from "../http1/whole_answer.ts";
import type { WireAnswer } from "../http1/connection.ts";
import type { ComputeFailure, ComputeResponse, ComputeResult } from "./types.ts";

export type Failed = Extract<ComputeResult, { readonly type: "failed" }>;

export const failed = (reason: ComputeFailure, message: string): Failed => ({
  type: "failed",
  reason,
  message,
});

export const toResponse = ({ head, body }: WireAnswer): ComputeResponse =>
  body !== null && !(body instanceof ReadableStream) ? new WholeAnswer(head, body) : {
    status: head.status,
    statusText: head.statusText,
    headers: dropHopByHop(head.headers),
    body,
  };

/** Classifies a connection error while the process is alive. */
export function failureOf(error: unknown, timeoutMs: number): Failed {
  if (!(error instanceof OutboundError)) return failed("invalid_response", String(error));
  switch (error.code) {
    case "aborted":
      return failed("aborted", error.message);
    case "idle_timeout":
      return failed("timeout", `The server did not respond within ${timeoutMs} ms`);
    case "reset":
      return failed("invalid_response", "The server closed the connection without a response");
    default:
      return failed("invalid_response", error.message);
  }
}
