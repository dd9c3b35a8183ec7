/** @module Turns the origin's response into the response for the client. */
import { bodyLength, type BodyStream, discardBody, isStream } from "../messages/body.ts";
import { findHeader, type HeaderList } from "../messages/header_list.ts";
import type { OriginResponse } from "../messages/messages.ts";
import { emptyStream } from "../response/no_content.ts";
import { deltaSeconds } from "./cache_control.ts";
import { type CacheReport, withReport } from "./cache_status.ts";
import { isNotModified } from "./conditions.ts";
import { withoutContentFields } from "./stored_response.ts";
import type { CachedResponse, CacheReader } from "./types.ts";

export function contentLength(headers: HeaderList): number | undefined {
  return deltaSeconds(findHeader(headers, "content-length"));
}

/** Returns the length of a body in bytes, or `undefined` if it is not known in advance. */
export function knownBytes({ headers, body }: OriginResponse): number | undefined {
  return bodyLength(body, findHeader(headers, "content-length"));
}

export interface Delivery {
  readonly report: CacheReport;
  readonly now: number;
  /** Whether this is a background refresh, which has no client. */
  readonly background: boolean;
  /** Opens the client's copy of a body that is being stored. */
  readonly openBody?: (() => BodyStream) | undefined;
}

/** Returns a response without its body, but with the length that the body would have. */
function headOf(
  { status, headers, body }: OriginResponse,
  result: CachedResponse["result"],
): CachedResponse {
  if (body === null || contentLength(headers) !== undefined) {
    return { status, headers, body: null, bytes: 0, result };
  }
  // The length is unknown. With a `null` body, `Deno.serve` would send `content-length: 0`.
  if (isStream(body)) return { status, headers, body: emptyStream(), bytes: 0, result };
  const length = ["content-length", String(body.length)] as [string, string];
  return { status, headers: [...headers, length], body: null, bytes: 0, result };
}

/**
 * Turns the response to an unconditional `GET` into the response to the client. Evaluates the
 * client's method and conditions.
 */
export function deliver(
  request: CacheReader,
  response: OriginResponse,
  { report, now, background, openBody }: Delivery,
): CachedResponse {
  const { status } = response;
  const { result } = report;
  const headers = withReport(response.headers, report);
  const notModified = isNotModified(request, {
    ...response,
    etag: findHeader(response.headers, "etag"),
    lastModified: findHeader(response.headers, "last-modified"),
    responseTime: now,
  });
  const bodiless = background || request.method === "HEAD" || notModified;
  if (bodiless && openBody === undefined) discardBody(response.body);
  if (notModified) {
    return { status: 304, headers: withoutContentFields(headers), body: null, bytes: 0, result };
  }
  if (bodiless) return headOf({ ...response, headers }, result);
  return {
    status,
    headers,
    body: openBody?.() ?? response.body,
    bytes: knownBytes(response),
    result,
  };
}
