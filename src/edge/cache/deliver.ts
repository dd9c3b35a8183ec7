/**
 * Sends an answer of the origin to the client who asked.
 *
 * @module
 */
import {
  bodyLength,
  type BodyStream,
  discardBody,
  findHeader,
  type HeaderList,
  isStream,
  type OriginResponse,
} from "../messages/mod.ts";
import { emptyStream } from "../response/mod.ts";
import { deltaSeconds } from "./cache_control.ts";
import { type CacheReport, withReport } from "./cache_status.ts";
import { isNotModified } from "./conditions.ts";
import { withoutContentFields } from "./stored_response.ts";
import type { CachedResponse, CacheReader } from "./types.ts";

/** What `Content-Length` says. */
export function contentLength(headers: HeaderList): number | undefined {
  return deltaSeconds(findHeader(headers, "content-length"));
}

/** Length of a body; `undefined` where only its end will tell. */
export function knownBytes({ headers, body }: OriginResponse): number | undefined {
  return bodyLength(body, findHeader(headers, "content-length"));
}

export interface Delivery {
  readonly report: CacheReport;
  readonly now: number;
  /** No client waits for the answer. */
  readonly background: boolean;
  /** Where the body is being stored: opens the client's share of it. */
  readonly openBody?: (() => BodyStream) | undefined;
}

/** An answer without its body, with the length that it would have had. */
function headOf(
  { status, headers, body }: OriginResponse,
  result: CachedResponse["result"],
): CachedResponse {
  if (body === null || contentLength(headers) !== undefined) {
    return { status, headers, body: null, bytes: 0, result };
  }
  // Of an unknown length: a server would take no body for one of length 0, and say so.
  if (isStream(body)) return { status, headers, body: emptyStream(), bytes: 0, result };
  const length = ["content-length", String(body.byteLength)] as [string, string];
  return { status, headers: [...headers, length], body: null, bytes: 0, result };
}

/**
 * The origin was asked by `GET` and without conditions; the client's own method
 * and conditions are judged here.
 */
export function deliver(
  request: CacheReader,
  answer: OriginResponse,
  { report, now, background, openBody }: Delivery,
): CachedResponse {
  const { status } = answer;
  const { result } = report;
  const headers = withReport(answer.headers, report);
  const notModified = isNotModified(request, {
    ...answer,
    etag: findHeader(answer.headers, "etag"),
    lastModified: findHeader(answer.headers, "last-modified"),
    responseTime: now,
  });
  const bodiless = background || request.method === "HEAD" || notModified;
  if (bodiless && openBody === undefined) discardBody(answer.body);
  if (notModified) {
    return { status: 304, headers: withoutContentFields(headers), body: null, bytes: 0, result };
  }
  if (bodiless) return headOf({ ...answer, headers }, result);
  return { status, headers, body: openBody?.() ?? answer.body, bytes: knownBytes(answer), result };
}
