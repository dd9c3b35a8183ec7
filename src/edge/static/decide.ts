/** @module Decides the response to a request for an existing file. Pure. */
import type { RequestFields } from "../messages/header_list.ts";
import { type ByteRange, parseRange } from "../ranges/byte_ranges.ts";
import { acceptedCodings, type ContentCoding } from "./accept_encoding.ts";
import type { Representation, StaticFile } from "./static_file.ts";
import { ifMatchHolds, ifNoneMatchNames } from "../../lib/entity_tag.ts";

export type StaticDecision =
  /** 200 with all bytes. */
  | { readonly type: "whole"; readonly representation: Representation }
  /** 304: the client has this content. */
  | { readonly type: "not_modified"; readonly representation: Representation }
  /** 206 with one or more ranges of the file. */
  | {
    readonly type: "partial";
    readonly representation: Representation;
    readonly ranges: readonly ByteRange[];
  };

/** The file exists, but does not meet the conditions of the request. */
type StaticRefusal =
  /** 412: the client expected other content. */
  | { readonly type: "precondition_failed" }
  /** 416: the requested ranges are outside the file. */
  | { readonly type: "unsatisfiable"; readonly size: number };

/** Selects the form of a file to send; `accepted` lists the codings, best first. */
function selectRepresentation(
  file: StaticFile,
  accepted: readonly ContentCoding[],
): Representation {
  for (const coding of accepted) {
    const variant = file.variants.find((candidate) => candidate.coding === coding);
    if (variant !== undefined) return variant;
  }
  return file.plain;
}

/**
 * Returns the form of a file to send for a request. Reads `Accept-Encoding` only if there is a
 * choice.
 */
export function negotiate(file: StaticFile, request: RequestFields): Representation {
  if (file.variants.length === 0) return file.plain;
  const value = request.header("accept-encoding");
  return value === null ? file.plain : selectRepresentation(file, acceptedCodings(value));
}

/**
 * Returns whether `If-Range` lets `Range` apply, which requires the current entity tag. A date
 * never matches, because files have no `Last-Modified`.
 */
function rangeApplies(ifRange: string | null, etag: string): boolean {
  return ifRange === null || ifRange.trim() === etag;
}

/**
 * Decides in the order of RFC 9110, 13.2.2: `If-Match`, `If-None-Match`, then `Range` with
 * `If-Range`. A file has no `Last-Modified`, because that date would go back in time after a
 * rollback. Conditions with dates are therefore ignored, as 13.1.3 and 13.1.4 require.
 */
export function decideStatic(
  file: StaticFile,
  method: "GET" | "HEAD",
  request: RequestFields,
): StaticDecision | StaticRefusal {
  const representation = negotiate(file, request);
  const { etag, size } = representation;
  const ifMatch = request.header("if-match");
  if (ifMatch !== null && !ifMatchHolds(ifMatch, etag)) {
    return { type: "precondition_failed" };
  }
  const ifNoneMatch = request.header("if-none-match");
  if (ifNoneMatch !== null && ifNoneMatchNames(ifNoneMatch, etag)) {
    return { type: "not_modified", representation };
  }
  const range = method === "GET" ? request.header("range") : null;
  if (range === null || !rangeApplies(request.header("if-range"), etag)) {
    return { type: "whole", representation };
  }
  const requested = parseRange(range, size);
  switch (requested.type) {
    case "ignore":
      return { type: "whole", representation };
    case "unsatisfiable":
      return { type: "unsatisfiable", size };
    case "ranges":
      return { type: "partial", representation, ranges: requested.ranges };
  }
}
