/**
 * What a server answered, on its way to the client.
 *
 * @module
 */
import type { ComputeResponse } from "../../runtime/mod.ts";
import {
  answerHeadersFrom,
  bodyLength,
  discardBody,
  findHeader,
  type HeaderList,
  type OriginAnswer,
} from "../messages/mod.ts";
import { type Answer, hasNoContent, noContent } from "../response/mod.ts";

/** True for a status that a final answer can have. */
export function isFinalStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599;
}

/** The answer without what belongs to the hop between edge and server. */
export function serverAnswer(response: ComputeResponse): OriginAnswer {
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
  { status, headers, body }: OriginAnswer,
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
