/** @module The responses of the image endpoint. */
import { entityTag, ifNoneMatchNames } from "../../lib/entity_tag.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { CacheControl } from "../cache/cache_control.ts";
import type { Bytes } from "../messages/body.ts";
import type { Header, HeaderList } from "../messages/header_list.ts";
import type { Kept } from "../messages/messages.ts";
import { edgePage, type PagedRequest } from "../response/error_pages.ts";
import { type EdgeResponse, HARMLESS } from "../response/edge_response.ts";
import type { SniffedImage } from "./image_type.ts";
import { MEDIA_TYPES } from "./image_type.ts";
import type { ImageQuery, TargetFormat } from "./types.ts";

/**
 * Part of each image's key. It changes with the engine's output. Otherwise, clients and caches
 * would keep the results of an older version.
 */
const ENGINE_VERSION = "vips-8.18.7-1";

/** Seconds after which a client may retry. */
const RETRY_SECONDS = "2";

/**
 * `Cache-Control` of an image that could not be converted. The lifetime is short because the next
 * attempt may convert the image.
 */
const SHORT_LIVED = "public, max-age=60";

/** Shortens the lifetime of an image, unless caches must not store the image at all. */
function shortLived(cacheControl: string): string {
  const directives = CacheControl.of(cacheControl);
  const isPersonal = directives.has("private") || directives.has("no-store");
  return isPersonal ? cacheControl : SHORT_LIVED;
}

/**
 * Header fields that let a browser do nothing but display an image. An image that is opened
 * directly cannot run scripts and has no origin.
 */
const SAFETY: HeaderList = [
  ["x-content-type-options", "nosniff"],
  HARMLESS,
];

/** Returns the key of a conversion result. Equal keys mean equal bytes. */
export function imageKey(
  identity: string,
  { width, height, fit, quality }: Pick<ImageQuery, "width" | "height" | "fit" | "quality">,
  format: TargetFormat,
): string {
  const box = height === undefined ? width : `${width}x${height}-${fit ?? "inside"}`;
  return sha256Hex(`${ENGINE_VERSION} ${identity} ${box} ${quality} ${format}`);
}

/** Data that all responses for one image have in common. */
export interface ImageReply {
  readonly request: PagedRequest;
  /** Header fields that every response from the site includes. */
  readonly common: HeaderList;
  readonly cacheControl: string;
  /** How long a front edge may cache the image, in seconds. */
  readonly keptSeconds: number;
  /** Whether the format depends on `Accept`. */
  readonly varies: boolean;
  /** Name of the source without its folder and extension. */
  readonly name: string;
}

function fields(reply: ImageReply, etag: string, cached: string): Header[] {
  return [
    ["cache-control", reply.cacheControl],
    ["etag", etag],
    ...(reply.varies ? [["vary", "accept"] satisfies Header] : []),
    ["x-svc-cache", cached],
    ...reply.common,
  ];
}

/**
 * Returns the name under which a browser saves an image. It consists of letters, digits, `_` and
 * `-`.
 */
export function fileName(path: string): string {
  const last = path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
  return last.replaceAll(/[^\w-]+/g, "_").slice(0, 64) || "image";
}

/** Returns a 304 if the client already has the result with `key`. */
export function notModified(reply: ImageReply, key: string): EdgeResponse | undefined {
  const etag = entityTag(key);
  const known = reply.request.header("if-none-match");
  if (known === null || !ifNoneMatchNames(known, etag)) return undefined;
  return { status: 304, headers: fields(reply, etag, "HIT"), body: null, bytes: 0 };
}

function imageResponse(
  reply: ImageReply,
  image: {
    readonly type: SniffedImage["type"];
    readonly bytes: Bytes;
    readonly etag: string;
    readonly cached: string;
  },
): EdgeResponse {
  const { type, bytes, etag, cached } = image;
  const { byteLength } = bytes;
  const extension = type === "jpeg" ? "jpg" : type;
  const disposition = type === "svg" ? "attachment" : "inline";
  const headers: Header[] = [
    ["content-type", MEDIA_TYPES[type]],
    ["content-disposition", `${disposition}; filename="${reply.name}.${extension}"`],
    ...SAFETY,
    ...fields(reply, etag, cached),
    ["content-length", String(byteLength)],
  ];
  return reply.request.method === "HEAD"
    ? { status: 200, headers, body: null, bytes: 0 }
    : { status: 200, headers, body: bytes, bytes: byteLength, kept: keptOf(reply) };
}

function keptOf({ keptSeconds: lifetime, varies }: ImageReply): Kept | undefined {
  if (lifetime <= 0) return undefined;
  return {
    terms: {
      lifetime,
      staleWhileRevalidate: 0,
      staleIfError: 0,
      mustRevalidate: true,
      noCache: false,
      sharedWithAuthorized: true,
    },
    tags: [],
    vary: varies ? [{ name: "accept" }] : [],
  };
}

export function convertedResponse(
  reply: ImageReply,
  key: string,
  image: { readonly format: SniffedImage["type"]; readonly bytes: Bytes; readonly isNew: boolean },
): EdgeResponse {
  const { format: type, bytes, isNew } = image;
  return imageResponse(reply, {
    type,
    bytes,
    etag: entityTag(key),
    cached: isNew ? "MISS" : "HIT",
  });
}

/**
 * Returns a response with the unchanged source. If a temporary problem prevented the conversion,
 * `reason` explains it.
 */
export function originalResponse(
  reply: ImageReply,
  source: { readonly type: SniffedImage["type"]; readonly bytes: Bytes },
  reason: string | undefined,
): EdgeResponse {
  const etag = entityTag(sha256Hex(source.bytes));
  const lasting = reason === undefined
    ? reply
    : { ...reply, cacheControl: shortLived(reply.cacheControl) };
  const response = imageResponse(lasting, { ...source, etag, cached: "BYPASS" });
  return reason === undefined
    ? response
    : { ...response, problem: `The image was not converted: ${reason}` };
}

/** Returns the response that is sent while too many images are waiting. The client may retry. */
export function busyResponse(
  { request, common }: Pick<ImageReply, "request" | "common">,
): EdgeResponse {
  return edgePage(request, 503, {
    headers: [["retry-after", RETRY_SECONDS], ...common],
    words: ["Busy", "Too many images are being converted. Please try again in a moment."],
  });
}

/** Returns the response to a rejected request. The reason must contain nothing from the request. */
export function refusedImage(
  { request, common }: Pick<ImageReply, "request" | "common">,
  status: number,
  reason: string,
): EdgeResponse {
  return edgePage(request, status, { headers: common, words: ["No image", reason] });
}
