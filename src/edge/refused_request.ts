/** @module Requests that are rejected for every site, regardless of their host. */
import { MAX_DEPTH } from "../runtime/mod.ts";
import type { ClientRequest } from "./request/client_request.ts";
import { edgePage, type PageWords } from "./response/error_pages.ts";
import type { EdgeResponse } from "./response/edge_response.ts";

/**
 * Maximum total length of a path and query, in characters. RFC 9110, 4.1 recommends supporting at
 * least 8000.
 */
const MAX_TARGET = 8192;

const CALLS_ITSELF: PageWords = [
  "Loop detected",
  `This server has called itself ${MAX_DEPTH} times in a row.`,
];

/**
 * Returns the response to a request that cannot be for a site, or `undefined` for any other
 * request.
 */
export function refusalOf(request: ClientRequest): EdgeResponse | undefined {
  if (request.host === "") return edgePage(request, 400);
  if (request.depth > MAX_DEPTH) return edgePage(request, 508, { words: CALLS_ITSELF });
  if (request.rawPath.length + request.rawQuery.length > MAX_TARGET) return edgePage(request, 414);
  return undefined;
}
