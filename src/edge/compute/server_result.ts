/**
 * The outcome of a request to a server.
 *
 * @module
 */
import type { ComputeResult, ComputeSocketResult } from "../../runtime/mod.ts";
import { discardBody } from "../messages/body.ts";
import type { OriginResponse } from "../messages/messages.ts";
import { ComputeFailedError } from "./compute_failure.ts";
import { isFinalStatus, originResponse } from "./server_response.ts";

/** @throws {ComputeFailedError} */
export function responseOf(
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
