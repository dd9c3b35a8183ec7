/**
 * @module Finds the field that governs this cache: a targeted field (RFC 9213), otherwise
 * `Cache-Control`.
 */
import { type BareItem, parseDictionary } from "structured-headers";
import { type HeaderList, joinedHeader } from "../messages/header_list.ts";
import { CacheControl } from "./cache_control.ts";

/** The target list of this cache (RFC 9213, 2.2). The first valid, non-empty field counts. */
const TARGETED_FIELDS = ["svc-cdn-cache-control", "cdn-cache-control"] as const;

/** Directives whose value can be a list of field names. */
const WITH_FIELDS = new Set(["private", "no-cache"]);

/** A value that is invalid for every directive. As seconds, it counts as 0. */
const WRONG_TYPE = "";

export interface GoverningField {
  readonly control: CacheControl;
  /** True if this cache must ignore `Cache-Control` and `Expires`. */
  readonly isTargeted: boolean;
}

/**
 * Returns the value of a directive according to its type: none, seconds, or field names (RFC 9213,
 * 2.1).
 */
function valueOf(name: string, item: BareItem): string | undefined {
  if (item === true) return undefined;
  if (typeof item === "number") return String(item);
  return typeof item === "string" && WITH_FIELDS.has(name) ? item : WRONG_TYPE;
}

/**
 * Parses a targeted field. Returns `undefined` if it is malformed or empty, because it then counts
 * as missing.
 */
function parseTargeted(field: string): CacheControl | undefined {
  try {
    const directives = [...parseDictionary(field)].filter(([, [item]]) => item !== false);
    if (directives.length === 0) return undefined;
    return CacheControl.from(directives.map(([name, [item]]) => [
      name,
      Array.isArray(item) ? WRONG_TYPE : valueOf(name, item),
    ]));
  } catch {
    return undefined;
  }
}

/** Returns the directives in a response that apply to this cache. */
export function governingField(headers: HeaderList): GoverningField {
  for (const name of TARGETED_FIELDS) {
    const field = joinedHeader(headers, name);
    const control = field === undefined ? undefined : parseTargeted(field);
    if (control !== undefined) return { control, isTargeted: true };
  }
  const control = new CacheControl(joinedHeader(headers, "cache-control"));
  return { control, isTargeted: false };
}
