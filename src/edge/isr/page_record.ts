/**
 * The file format of a page on disk: one line of JSON, then the body.
 *
 * @module
 */
import { z } from "zod";
import { sha256Hex } from "../../lib/hash.ts";
import { formatHttpDate, type StoredResponse } from "../cache/mod.ts";
import {
  asciiText,
  type Bytes,
  findHeader,
  type Header,
  type HeaderList,
} from "../messages/mod.ts";
import { clientCacheControl } from "./decide_page.ts";
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
  bodySha256: z.string(),
});

/** A page as it is stored. */
export interface PageRecord {
  readonly key: string;
  readonly path: string;
  readonly status: number;
  /** As clients get them, without `age` and the fields that report the cache. */
  readonly headers: HeaderList;
  readonly askedAt: number;
  readonly body: Bytes;
}

/** Fields of a single response that are not part of the page. */
const NOT_STORED = new Set([
  "age",
  "cache-control",
  "cache-status",
  "content-length",
  "set-cookie",
  "x-svc-cache",
]);

/** The fields of a server's response that are stored; always with `date` and `etag`. */
export function headersToStore(
  headers: HeaderList,
  { body, askedAt }: Pick<PageRecord, "body" | "askedAt">,
): HeaderList {
  const kept: Header[] = headers.filter(([name]) => !NOT_STORED.has(name));
  kept.push(clientCacheControl(headers));
  if (findHeader(kept, "date") === undefined) kept.push(["date", formatHttpDate(askedAt)]);
  if (findHeader(kept, "etag") === undefined) kept.push(["etag", entityTag(sha256Hex(body))]);
  return kept;
}

/** Encodes a page as bytes. */
export function encodePage({ body, ...head }: PageRecord): Bytes {
  const line = JSON.stringify({ version: VERSION, ...head, bodySha256: sha256Hex(body) });
  const start = new TextEncoder().encode(`${line}\n`);
  const bytes = new Uint8Array(start.byteLength + body.byteLength);
  bytes.set(start);
  bytes.set(body, start.byteLength);
  return bytes;
}

/** Decodes a page; `undefined` for bytes that are not a complete page. */
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

/**
 * The page in the form in which it is served. Its age counts from the request: what
 * the server read first may have changed before its response came.
 */
export function toStoredResponse(page: PageRecord, revalidateSeconds: number): StoredResponse {
  const { status, headers, body, askedAt } = page;
  return {
    status,
    headers,
    body,
    text: asciiText(body),
    terms: {
      lifetime: revalidateSeconds,
      staleWhileRevalidate: Infinity,
      staleIfError: Infinity,
      mustRevalidate: false,
      noCache: false,
      sharedWithAuthorized: false,
    },
    initialAge: 0,
    responseTime: askedAt,
    vary: [],
    etag: findHeader(headers, "etag"),
    lastModified: findHeader(headers, "last-modified"),
  };
}
