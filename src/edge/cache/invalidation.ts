/** @module Finds the stored responses that an unsafe request invalidates (RFC 9111, 4.4). */
import type { ResourceUri } from "../../feed/mod.ts";
import { normalizePath } from "../../rules/mod.ts";
import { findHeader } from "../messages/header_list.ts";
import type { ResponseHead } from "./decide_store.ts";
import type { CacheRequest } from "./types.ts";

const SAFE = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Selects the parts of a request that identify its resource. */
export function resourceUriOf({ deploymentId, host, path, rawQuery }: ResourceUri): ResourceUri {
  return { deploymentId, host, path, rawQuery };
}

/** Returns the URI in a field of the response, if the URI is on the same host. */
function namedUri(reference: string | undefined, uri: ResourceUri): ResourceUri | undefined {
  if (reference === undefined) return undefined;
  const url = URL.parse(reference, `http://${uri.host}${uri.path}`);
  if (url === null || url.hostname !== uri.host) return undefined;
  const path = normalizePath(url.pathname);
  return typeof path === "string" ? { ...uri, path, rawQuery: url.search.slice(1) } : undefined;
}

/**
 * Returns the URIs whose stored responses are invalidated by the response to a request. For a safe
 * method or an error, there are none. Otherwise, they are the URI of the request, and the URIs in
 * `Location` and `Content-Location` that are on the same host.
 */
export function invalidatedUris(
  request: Pick<CacheRequest, "method" | keyof ResourceUri>,
  response: ResponseHead,
): readonly ResourceUri[] {
  if (SAFE.has(request.method) || response.status < 200 || response.status > 399) return [];
  const uri = resourceUriOf(request);
  const named = ["location", "content-location"]
    .map((name) => namedUri(findHeader(response.headers, name), uri))
    .filter((other) => other !== undefined);
  return [uri, ...named];
}
