/**
 * @module Converts the origin's response to a stored response, and a stored response to a response
 * for the client.
 */
import { type Bytes, bytesOf, type MemoryBody } from "../messages/body.ts";
import { findHeader, type Header, type HeaderList } from "../messages/header_list.ts";
import { type ByteRange, rangeLength } from "../ranges/byte_ranges.ts";
import { contentRange, layOutMultipart, multipartStream } from "../ranges/multipart.ts";
import { type CacheReport, withReport } from "./cache_status.ts";
import { selectPart } from "./conditions.ts";
import type { StoreDecision } from "./decide_store.ts";
import { currentAge, remainingLifetime } from "./freshness.ts";
import { storedHeaders } from "./stored_headers.ts";
import type { CachedResponse, CacheReader, CacheRequest, StoredResponse } from "./types.ts";
import { varyFields } from "./vary.ts";
import { sha256Hex } from "../../lib/hash.ts";

/** Fields that a 304 or 416 does not contain (RFC 9110, 15.4.5). */
const ABOUT_CONTENT = new Set([
  "accept-ranges",
  "content-encoding",
  "content-language",
  "content-length",
  "content-range",
  "content-type",
]);

/** Statuses without content (RFC 9110, 15.3.5 and 15.3.6). */
const WITHOUT_CONTENT = new Set([204, 205]);

export function withoutContentFields(headers: HeaderList): Header[] {
  return headers.filter(([name]) => !ABOUT_CONTENT.has(name));
}

/** Builds the stored form of a response whose body is complete. */
export function makeStored(
  head: { readonly status: number; readonly headers: HeaderList },
  facts: {
    readonly request: CacheRequest;
    readonly decision: Extract<StoreDecision, { readonly type: "store" }>;
    readonly responseTime: number;
    readonly body: MemoryBody;
  },
): StoredResponse {
  const { request, decision, responseTime, body } = facts;
  const headers = storedHeaders(head.headers, { dropped: decision.dropped, responseTime });
  return {
    status: head.status,
    headers,
    body,
    terms: decision.terms,
    initialAge: decision.initialAge,
    responseTime,
    vary: varyFields(headers, request),
    tags: decision.tags,
    etag: findHeader(headers, "etag"),
    lastModified: findHeader(headers, "last-modified"),
  };
}

/** Returns the fields to send with a stored response at a given time. */
export function outgoingHeaders(
  stored: StoredResponse,
  now: number,
  report: CacheReport,
): HeaderList {
  const headers = withReport(stored.headers, { ttl: remainingLifetime(stored, now), ...report });
  headers.push(["age", String(Math.floor(currentAge(stored, now)))]);
  return headers;
}

interface Outgoing {
  readonly headers: HeaderList;
  readonly result: CachedResponse["result"];
}

function whole(
  stored: StoredResponse,
  method: string,
  { headers, result }: Outgoing,
): CachedResponse {
  const { status, body } = stored;
  const bytes = body.length;
  if (WITHOUT_CONTENT.has(status)) return { status, headers, body: null, bytes: 0, result };
  if (method !== "HEAD") return { status, headers, body, bytes, result, kept: stored };
  const length: Header = ["content-length", String(bytes)];
  return { status, headers: [...headers, length], body: null, bytes: 0, result };
}

function onePart(
  body: Bytes,
  range: ByteRange,
  { headers, result }: Outgoing,
): CachedResponse {
  const bytes = rangeLength(range);
  return {
    status: 206,
    headers: [
      ...headers,
      ["content-range", contentRange(range, body.length)],
      ["content-length", String(bytes)],
    ],
    body: body.subarray(range.start, range.end + 1),
    bytes,
    result,
  };
}

/**
 * Builds a multipart response. The hash of the body serves as the boundary, because the body cannot
 * contain it.
 */
function manyParts(
  body: Bytes,
  ranges: readonly ByteRange[],
  { headers, result }: Outgoing,
): CachedResponse {
  const layout = layOutMultipart(ranges, {
    size: body.byteLength,
    contentType: findHeader(headers, "content-type") ?? "application/octet-stream",
    boundary: sha256Hex(body),
  });
  async function* bytesIn(range: ByteRange): AsyncGenerator<Bytes> {
    yield await Promise.resolve(body.subarray(range.start, range.end + 1));
  }
  return {
    status: 206,
    headers: [
      ...headers.filter(([name]) => name !== "content-type"),
      ["content-type", layout.contentType],
      ["content-length", String(layout.length)],
    ],
    body: multipartStream(layout, ranges, bytesIn),
    bytes: layout.length,
    result,
  };
}

function parts(
  stored: StoredResponse,
  ranges: readonly ByteRange[],
  outgoing: Outgoing,
): CachedResponse {
  const bytes = bytesOf(stored.body);
  return ranges.length === 1
    ? onePart(bytes, ranges[0]!, outgoing)
    : manyParts(bytes, ranges, outgoing);
}

/** Serves a stored response: in full, in part, or as a 304 or 416. */
export function responseFrom(
  stored: StoredResponse,
  request: CacheReader,
  outgoing: Outgoing,
): CachedResponse {
  const selection = selectPart(request, stored);
  const { headers, result } = outgoing;
  switch (selection.type) {
    case "whole":
      return whole(stored, request.method, outgoing);
    case "not_modified":
      return { status: 304, headers: withoutContentFields(headers), body: null, bytes: 0, result };
    case "unsatisfiable": {
      const size: Header = ["content-range", `bytes */${stored.body.length}`];
      const kept = [...withoutContentFields(headers), size];
      return { status: 416, headers: kept, body: null, bytes: 0, result };
    }
    case "partial":
      return parts(stored, selection.ranges, outgoing);
  }
}
