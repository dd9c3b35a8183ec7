/**
 * @module Evaluates conditions and ranges against a stored response (RFC 9111, 4.3.2; RFC 9110,
 * 13.2.2).
 */
import { findHeader } from "../messages/header_list.ts";
import { type ByteRange, parseRange } from "../ranges/byte_ranges.ts";
import { parseHttpDate } from "./http_date.ts";
import type { CacheReader, StoredResponse } from "./types.ts";
import { ifNoneMatchNames } from "../../lib/entity_tag.ts";

export type Selection =
  | { readonly type: "whole" }
  | { readonly type: "not_modified" }
  | { readonly type: "partial"; readonly ranges: readonly ByteRange[] }
  | { readonly type: "unsatisfiable" };

type HasHeader = Pick<CacheReader, "header">;

/** The validators against which conditions are evaluated. */
export type Validated = Pick<
  StoredResponse,
  "status" | "headers" | "etag" | "lastModified" | "responseTime"
>;

const WHOLE: Selection = Object.freeze({ type: "whole" });
const NOT_MODIFIED: Selection = Object.freeze({ type: "not_modified" });

/** Returns `Last-Modified`, or else `Date` (RFC 9111, 4.3.2). */
function modifiedAt(response: Validated): number | undefined {
  const field = response.lastModified ?? findHeader(response.headers, "date");
  return field === undefined ? undefined : parseHttpDate(field, response.responseTime);
}

/** Whether two entity tags match by weak comparison (RFC 9110, 8.8.3.2). */
export function weaklyMatches(left: string | undefined, right: string | undefined): boolean {
  return left?.replace(/^W\//, "") === right?.replace(/^W\//, "");
}

/**
 * Whether the client already has this response. Dates only count if there is no `If-None-Match`.
 */
export function isNotModified(request: HasHeader, response: Validated): boolean {
  if (response.status !== 200) return false;
  const tags = request.header("if-none-match");
  if (tags !== undefined) {
    if (response.etag === undefined) return tags.trim() === "*";
    return ifNoneMatchNames(tags, response.etag.replace(/^W\//, ""));
  }
  const since = request.header("if-modified-since");
  if (since === undefined) return false;
  const sinceTime = parseHttpDate(since, response.responseTime);
  const modified = modifiedAt(response);
  return sinceTime !== undefined && modified !== undefined && modified <= sinceTime;
}

/** Whether `If-Range` matches, which requires the same strong validator (RFC 9110, 13.1.5). */
function ifRangeHolds(value: string | undefined, response: Validated): boolean {
  if (value === undefined) return true;
  const validator = value.trim();
  if (validator.startsWith('"')) return validator === response.etag;
  if (validator !== response.lastModified) return false;
  const modified = parseHttpDate(validator, response.responseTime);
  const date = parseHttpDate(findHeader(response.headers, "date") ?? "", response.responseTime);
  return modified !== undefined && date !== undefined && date - modified >= 1000;
}

/** Decides which part of a stored response to send to a client. */
export function selectPart(
  request: CacheReader,
  stored: StoredResponse,
): Selection {
  if (stored.status !== 200) return WHOLE;
  if (isNotModified(request, stored)) return NOT_MODIFIED;
  const range = request.method === "GET" ? request.header("range") : undefined;
  if (range === undefined || !ifRangeHolds(request.header("if-range"), stored)) return WHOLE;
  const requested = parseRange(range, stored.body.length);
  switch (requested.type) {
    case "ignore":
      return WHOLE;
    case "unsatisfiable":
      return requested;
    case "ranges":
      return { type: "partial", ranges: requested.ranges };
  }
}
