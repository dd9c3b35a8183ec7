/**
 * What an unsafe request makes doubtful (RFC 9111, 4.4).
 *
 * @module
 */
import { normalizePath } from "../../rules/mod.ts";
import { findHeader } from "../messages/mod.ts";
import type { AnswerHead } from "./decide_store.ts";
import type { CacheRequest, Place } from "./types.ts";

const SAFE = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Where answers to a request are kept. */
export function placeOf({ deploymentId, host, path, rawQuery }: Place): Place {
  return { deploymentId, host, path, rawQuery };
}

/** The place that a field of the answer names, if it is on the same host. */
function namedPlace(reference: string | undefined, place: Place): Place | undefined {
  if (reference === undefined) return undefined;
  const url = URL.parse(reference, `http://${place.host}${place.path}`);
  if (url === null || url.hostname !== place.host) return undefined;
  const path = normalizePath(url.pathname);
  return typeof path === "string" ? { ...place, path, rawQuery: url.search.slice(1) } : undefined;
}

/**
 * The URIs whose answers must be forgotten after an answer to this request:
 * none for a safe method or a failure; else its own, and those that `Location`
 * and `Content-Location` name on the same host.
 */
export function invalidatedPlaces(
  request: Pick<CacheRequest, "method" | keyof Place>,
  answer: AnswerHead,
): readonly Place[] {
  if (SAFE.has(request.method) || answer.status < 200 || answer.status > 399) return [];
  const place = placeOf(request);
  const named = ["location", "content-location"]
    .map((name) => namedPlace(findHeader(answer.headers, name), place))
    .filter((other) => other !== undefined);
  return [place, ...named];
}
