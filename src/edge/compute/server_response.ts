/**
 * What a server answered, on its way to the client.
 *
 * @module
 */
import type { ComputeResponse } from "../../runtime/mod.ts";
import { type Answer, bodyLength } from "../response/edge_response.ts";
import { findHeader, type HeaderList } from "../messages/header_list.ts";
import { hasNoContent, noContent } from "../response/no_content.ts";
import type { BodyStream } from "../messages/messages.ts";
import { answerHeadersFrom } from "../messages/message_headers.ts";

/** The answer of a server as far as it may leave the edge; a stream is read once. */
export interface ServerAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  /** Bytes where all of it is there. */
  readonly body: BodyStream | Uint8Array<ArrayBuffer> | null;
}

/** Nobody reads: the server need not go on. */
export function discardBody(body: ServerAnswer["body"]): void {
  if (body instanceof ReadableStream) body.cancel().catch(() => {});
}

/** True for a status that a final answer can have. */
export function isFinalStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599;
}

/** The answer without what belongs to the hop between edge and server. */
export function serverAnswer(response: ComputeResponse): ServerAnswer {
  const { status, headers } = response;
  return {
    status,
    headers: answerHeadersFrom(headers),
    body: response.bytes ?? response.body,
  };
}

/** The answer with the fields of the edge, and without a body that it can not have. */
export function toAnswer(
  method: string,
  { status, headers, body }: ServerAnswer,
  common: HeaderList,
): Answer {
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
