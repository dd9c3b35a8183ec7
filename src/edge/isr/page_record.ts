/** @module The file format of a page on disk: one line of JSON, then the body. */
import * as z from "zod";
import { sha256Hex } from "../../lib/hash.ts";
import { formatHttpDate } from "../cache/http_date.ts";
import { isConsumed } from "../cache/own_fields.ts";
import type { StoredResponse, Terms, VaryField } from "../cache/types.ts";
import type { Bytes } from "../messages/body.ts";
import { findHeader, type Header, type HeaderList } from "../messages/header_list.ts";
import type { OriginResponse } from "../messages/messages.ts";
import { clientCacheControl } from "./decide_page.ts";
import type { PageRequest, Requested, Storable } from "./types.ts";
import { entityTag } from "../../lib/entity_tag.ts";

const VERSION = 1;
const LINE_FEED = 10;

const headSchema = z.object({
  version: z.literal(VERSION),
  key: z.string(),
  path: z.string(),
  status: z.int().min(200).max(599),
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** When the request was sent to the server, in milliseconds since the Unix epoch. */
  askedAt: z.number(),
  initialAge: z.number().optional(),
  tags: z.array(z.string()).optional(),
  vary: z.array(z.object({ name: z.string(), value: z.string().nullable() })).optional(),
  terms: z.object({
    lifetime: z.number(),
    staleWhileRevalidate: z.number(),
    staleIfError: z.number(),
    mustRevalidate: z.boolean(),
    noCache: z.boolean(),
    sharedWithAuthorized: z.boolean(),
  }).optional(),
  bodySha256: z.string(),
});

export interface PageRecord {
  readonly key: string;
  readonly path: string;
  readonly status: number;
  /** The header fields as they are sent to clients, without `age` and the cache status. */
  readonly headers: HeaderList;
  readonly askedAt: number;
  readonly body: Bytes;
  /** The page's age on arrival, in seconds, or 0 if missing. */
  readonly initialAge?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly vary?: readonly VaryField[] | undefined;
  /** Cache terms that the response declares. Missing if the route's `revalidate` sets them. */
  readonly terms?: Terms | undefined;
}

/** Header fields that belong to a single response and are not part of the page. */
const NOT_STORED = new Set([
  "age",
  "cache-control",
  "cache-status",
  "content-length",
  "set-cookie",
  "x-svc-cache",
]);

/**
 * Returns the header fields of a server's response that are stored. They always include `date` and
 * `etag`.
 */
function headersToStore(
  headers: HeaderList,
  { body, askedAt }: Pick<PageRecord, "body" | "askedAt">,
): HeaderList {
  const kept: Header[] = headers.filter(([name]) => !NOT_STORED.has(name) && !isConsumed(name));
  kept.push(clientCacheControl(headers));
  if (findHeader(kept, "date") === undefined) kept.push(["date", formatHttpDate(askedAt)]);
  if (findHeader(kept, "etag") === undefined) kept.push(["etag", entityTag(sha256Hex(body))]);
  return kept;
}

/** Creates the stored form of a complete response. */
export function toPageRecord(
  { key, path }: PageRequest,
  { status, headers }: OriginResponse,
  { body, requested, decision }: {
    readonly body: Bytes;
    readonly requested: Requested;
    readonly decision: Storable;
  },
): PageRecord {
  const { at: askedAt } = requested;
  const { tags, vary, terms, initialAge } = decision;
  return {
    key,
    path,
    status,
    askedAt,
    body,
    tags,
    vary,
    initialAge,
    headers: headersToStore(headers, { body, askedAt }),
    terms,
  };
}

export function encodePage({ body, ...head }: PageRecord): Bytes {
  const line = JSON.stringify({ version: VERSION, ...head, bodySha256: sha256Hex(body) });
  const start = new TextEncoder().encode(`${line}\n`);
  const bytes = new Uint8Array(start.byteLength + body.byteLength);
  bytes.set(start);
  bytes.set(body, start.byteLength);
  return bytes;
}

/** Decodes a page. Returns `undefined` if the bytes are not a complete page. */
export function decodePage(bytes: Bytes): PageRecord | undefined {
  const end = bytes.indexOf(LINE_FEED);
  if (end < 0) return undefined;
  try {
    const { bodySha256, version: _, ...head } = headSchema.parse(
      JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))),
    );
    const body = bytes.slice(end + 1);
    return sha256Hex(body) === bodySha256 ? { ...head, body } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the cache terms of pages on a route with a given `revalidate`. */
function routeTerms(revalidateSeconds: number): Terms {
  return {
    lifetime: revalidateSeconds,
    staleWhileRevalidate: Infinity,
    staleIfError: Infinity,
    mustRevalidate: false,
    noCache: false,
    sharedWithAuthorized: false,
  };
}

/**
 * Returns the page as it is served, with its own cache terms or those of its route. The page's age
 * is counted from the request, because the data may have changed after the server read it and
 * before it responded.
 */
export function toStoredResponse(page: PageRecord, revalidateSeconds: number): StoredResponse {
  const { status, headers, body, askedAt, initialAge = 0, tags = [], vary = [] } = page;
  return {
    status,
    headers,
    body,
    terms: page.terms ?? routeTerms(revalidateSeconds),
    initialAge,
    responseTime: askedAt,
    vary,
    tags,
    etag: findHeader(headers, "etag"),
    lastModified: findHeader(headers, "last-modified"),
  };
}
