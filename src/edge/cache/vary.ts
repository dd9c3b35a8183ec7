/** @module `Vary` and the secondary cache key that follows from it (RFC 9111, 4.1). */
import { memoize } from "../../lib/memo.ts";
import { findHeader, type HeaderList, isFieldName, joinedHeader } from "../messages/header_list.ts";
import type { CacheReader, StoredResponse, VaryField } from "./types.ts";

type HasHeader = Pick<CacheReader, "header">;

/**
 * Returns the names in `Vary`, in lower case, without duplicates. Returns only `*` if no other
 * request can match, because the field contains `*` or an invalid name.
 */
export function varyNames(headers: HeaderList): readonly string[] {
  const field = joinedHeader(headers, "vary");
  if (field === undefined) return [];
  const names = field.toLowerCase().split(",").map((name) => name.trim())
    .filter((name) => name !== "");
  const isMatchable = names.every((name) => name !== "*" && isFieldName(name));
  return isMatchable ? [...new Set(names)].sort() : ["*"];
}

/** Sorts codings, whose order has no meaning. Each coding keeps its weight. */
function sortCodings(value: string): string {
  return value.toLowerCase().split(",").map((coding) => coding.replaceAll(/\s+/g, ""))
    .filter((coding) => coding !== "").sort().join(",");
}

/** Sorted codings are memoized, because browsers send only a few different lists. */
const rememberedCodings = memoize(sortCodings, 256);

/** Returns the value of a request field, normalized for comparison. */
export function varyValue(name: string, request: HasHeader): string | null {
  const value = request.header(name);
  if (value === undefined) return null;
  if (name === "accept-encoding") return rememberedCodings(value);
  return value.split(",").map((member) => member.trim()).join(",");
}

/** Whether the content is encoded. If so, only clients that accept the encoding can read it. */
export function isEncoded(headers: HeaderList): boolean {
  return (findHeader(headers, "content-encoding") ?? "identity") !== "identity";
}

/**
 * Returns the secondary cache key of a response to `request`. Encoded content is selected by
 * `Accept-Encoding` even if `Vary` does not say so.
 */
export function varyFields(headers: HeaderList, request: HasHeader): readonly VaryField[] {
  const names = new Set(varyNames(headers));
  if (isEncoded(headers)) names.add("accept-encoding");
  return [...names].map((name) => ({ name, value: varyValue(name, request) }));
}

/** Whether this request has the field values that selected a stored response. */
export function matchesVary({ vary }: Pick<StoredResponse, "vary">, request: HasHeader): boolean {
  for (const { name, value } of vary) if (varyValue(name, request) !== value) return false;
  return true;
}
