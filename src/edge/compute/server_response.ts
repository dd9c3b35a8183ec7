/** @module Server responses on their way to the client. */
import type { ComputeResponse } from "../../runtime/mod.ts";
import { bodyLength, discardBody } from "../messages/body.ts";
import { findHeader, type HeaderList } from "../messages/header_list.ts";
import type { OriginResponse } from "../messages/messages.ts";
import { responseHeadersFrom } from "../messages/message_headers.ts";
import type { EdgeResponse } from "../response/edge_response.ts";
import { hasNoContent, noContent } from "../response/no_content.ts";

/** Whether a status belongs to a final response. */
export function isFinalStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599;
}

/** Returns the response without the fields that only concern the hop between edge and server. */
export function originResponse(response: ComputeResponse): OriginResponse {
  const { status, headers } = response;
  return {
    status,
    headers: responseHeadersFrom(headers),
    body: response.whole ?? response.body,
  };
}

/**
 * Returns the response with the site's fields, and without a body if the method or status forbids
 * one.
 */
export function toEdgeResponse(
  method: string,
  { status, headers, body }: OriginResponse,
  common: HeaderList,
): EdgeResponse {
  const all = [...headers, ...common];
  if (hasNoContent(method, status)) {
    discardBody(body);
    return { status, headers: all, body: noContent(status, headers), bytes: 0 };
  }
  return {
    status,
    headers: all,
    body,
    bytes: bodyLength(body, findHeader(headers, "content-length")),
  };
}
