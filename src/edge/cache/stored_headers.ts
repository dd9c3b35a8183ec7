/** @module Selects the fields of a response to store, and updates them from a 304 (RFC 9111, 3). */
import { connectionOptions, HOP_BY_HOP } from "../../lib/hop_by_hop.ts";
import type { Header, HeaderList } from "../messages/header_list.ts";
import { formatHttpDate } from "./http_date.ts";

/**
 * Fields that concern a single connection, proxy or client, and fields that the cache itself
 * generates.
 */
const NEVER_STORED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  "age",
  "content-length",
  "set-cookie",
  "x-svc-cache",
  "x-svc-deployment",
  "x-svc-request-id",
]);

/** Fields about the content, which a 304 does not change. */
const ABOUT_CONTENT = new Set(["content-encoding", "content-length", "content-range"]);

/**
 * Returns the fields to store, except for those in `dropped`. Always includes `date`, which a
 * recipient with a clock must add (RFC 9110, 6.6.1).
 */
export function storedHeaders(
  headers: HeaderList,
  options: { readonly dropped: readonly string[]; readonly responseTime: number },
): HeaderList {
  const dropped = new Set([...connectionOptions(headers) ?? [], ...options.dropped]);
  const kept: Header[] = headers.filter(([name]) => !NEVER_STORED.has(name) && !dropped.has(name));
  if (!kept.some(([name]) => name === "date")) {
    kept.push(["date", formatHttpDate(options.responseTime)]);
  }
  return kept;
}

/**
 * Returns the stored fields, updated with the fields of a 304. If the 304 has no `Date`, the stored
 * date is omitted, because it is not the time of the 304.
 */
export function freshenedHeaders(stored: HeaderList, update: HeaderList): HeaderList {
  const fresh = update.filter(([name]) => name !== "set-cookie" && !ABOUT_CONTENT.has(name));
  const replaced = new Set(["date", ...fresh.map(([name]) => name)]);
  return [...stored.filter(([name]) => !replaced.has(name)), ...fresh];
}
