/** @module Reports how the cache handled a request: `Cache-Status` (RFC 9211) and `x-svc-cache`. */
import { type Header, type HeaderList, joinedHeader } from "../messages/header_list.ts";
import { isConsumed } from "./own_fields.ts";
import type { ForwardReason } from "./decide_lookup.ts";
import type { CacheResult } from "./types.ts";

export interface CacheReport {
  readonly result: CacheResult;
  readonly hit?: boolean;
  readonly forward?: ForwardReason;
  readonly forwardStatus?: number;
  /** Number of seconds until the response is stale. Negative if it is already stale. */
  readonly ttl?: number;
  /** Whether storing has begun. It stops if the body ends early or gets too long. */
  readonly stored?: boolean;
  readonly collapsed?: boolean;
  readonly detail?: string;
}

function cacheStatus(report: CacheReport): string {
  let text = "svc";
  if (report.hit) text += "; hit";
  if (report.forward !== undefined) text += `; fwd=${report.forward}`;
  if (report.forwardStatus !== undefined) text += `; fwd-status=${report.forwardStatus}`;
  if (report.ttl !== undefined) text += `; ttl=${Math.floor(report.ttl)}`;
  if (report.stored) text += "; stored";
  if (report.collapsed) text += "; collapsed";
  if (report.detail !== undefined) text += `; detail=${report.detail}`;
  return text;
}

/**
 * Adds this cache's report to the fields that clients get, as the last report in the list (RFC
 * 9211, 2).
 */
export function withReport(headers: HeaderList, report: CacheReport): Header[] {
  const before = joinedHeader(headers, "cache-status");
  const own = cacheStatus(report);
  const kept = headers.filter(([name]) =>
    name !== "cache-status" && name !== "x-svc-cache" && !isConsumed(name)
  );
  kept.push(["cache-status", before === undefined ? own : `${before}, ${own}`]);
  kept.push(["x-svc-cache", report.result]);
  return kept;
}
