/**
 * @module Decides how stored responses serve a request (RFC 9111, 4). Pure: takes the request's
 * fields, the responses stored under its key, and the time, and returns a tagged decision.
 *
 * Request directives about freshness (`no-cache`, `max-age`, `min-fresh`, `Pragma`) are advisory
 * (RFC 9111, 5.2.1). If the cache obeyed them, any client could have all of its requests forwarded
 * to the origin. They are therefore ignored unless an option says otherwise. `max-stale`,
 * `only-if-cached`, `no-store` and `stale-if-error` spare the origin or the store, so they always
 * apply.
 */
import type { Header, HeaderList } from "../messages/header_list.ts";
import { isReading } from "../messages/messages.ts";
import { CacheControl } from "./cache_control.ts";
import { currentAge, remainingLifetime } from "./freshness.ts";
import type { CacheReader, StoredResponse } from "./types.ts";
import { matchesVary } from "./vary.ts";

/** Why a request is forwarded to the origin (RFC 9211, 2.2). */
export type ForwardReason =
  | "bypass"
  | "method"
  | "uri-miss"
  | "vary-miss"
  | "request"
  | "stale";

export type LookupDecision<Stored extends StoredResponse = StoredResponse> =
  | { readonly type: "fresh"; readonly stored: Stored }
  /** Serve a stale response. With `refresh`, also fetch a fresh response in the background. */
  | { readonly type: "stale"; readonly stored: Stored; readonly refresh: boolean }
  /** Revalidate the stored response at the origin with these conditions, possibly none. */
  | {
    readonly type: "revalidate";
    readonly stored: Stored;
    readonly conditions: HeaderList;
    readonly forward: "stale" | "request";
  }
  /** Fetch it, and store it if the response allows that. */
  | { readonly type: "miss"; readonly forward: "uri-miss" | "vary-miss" }
  /** Forward the request unchanged, and do not store the response. */
  | { readonly type: "pass"; readonly forward: ForwardReason }
  /** `only-if-cached` without a stored response: 504. */
  | { readonly type: "unavailable" };

interface LookupOptions {
  readonly now: number;
  /** Whether to obey `no-cache`, `max-age`, `min-fresh` and `Pragma` in requests. */
  readonly clientsMayRevalidate: boolean;
}

/**
 * Whether only the origin can respond. The body of a `GET` is not in the cache key, and only the
 * origin evaluates `If-Match` and `If-Unmodified-Since` (RFC 9111, 4.3.2).
 */
function mustPass(request: CacheReader): boolean {
  const length = request.header("content-length");
  return (length !== undefined && length.trim() !== "0") ||
    request.header("transfer-encoding") !== undefined ||
    request.header("if-match") !== undefined ||
    request.header("if-unmodified-since") !== undefined;
}

/** Returns the conditions that let the origin validate a stored response (RFC 9111, 4.3.1). */
export function validators(stored: StoredResponse): HeaderList {
  const conditions: Header[] = [];
  if (stored.etag !== undefined) conditions.push(["if-none-match", stored.etag]);
  if (stored.lastModified !== undefined) {
    conditions.push(["if-modified-since", stored.lastModified]);
  }
  return conditions;
}

/** Whether the client requires revalidation, even of a fresh response (RFC 9111, 5.2.1). */
function clientObjects(control: CacheControl, request: CacheReader, facts: {
  readonly age: number;
  readonly remaining: number;
}): boolean {
  if (control.has("no-cache")) return true;
  const pragma = request.header("pragma");
  if (pragma !== undefined && request.header("cache-control") === undefined) {
    return pragma.toLowerCase().includes("no-cache");
  }
  return facts.age > (control.seconds("max-age") ?? Infinity) ||
    facts.remaining < (control.seconds("min-fresh") ?? 0);
}

/**
 * Whether the client accepts a response that has been stale for `staleness` seconds (RFC 9111,
 * 5.2.1.2).
 */
function clientAccepts(control: CacheControl, staleness: number): boolean {
  if (!control.has("max-stale")) return false;
  return control.value("max-stale") === undefined ||
    staleness <= control.seconds("max-stale")!;
}

/** Returns the most recent stored response that matches this request (RFC 9111, 4.1). */
export function selectStored<Stored extends StoredResponse>(
  request: CacheReader,
  candidates: readonly Stored[],
): Stored | undefined {
  const authorized = request.header("authorization") !== undefined;
  let latest: Stored | undefined;
  for (const stored of candidates) {
    if (authorized && !stored.terms.sharedWithAuthorized) continue;
    if (latest !== undefined && stored.responseTime <= latest.responseTime) continue;
    if (matchesVary(stored, request)) latest = stored;
  }
  return latest;
}

function revalidate<Stored extends StoredResponse>(
  stored: Stored,
  forward: "stale" | "request",
): LookupDecision<Stored> {
  return { type: "revalidate", stored, conditions: validators(stored), forward };
}

function decideStored<Stored extends StoredResponse>(
  stored: Stored,
  lookup: { readonly request: CacheReader; readonly control: CacheControl },
  { now, clientsMayRevalidate }: LookupOptions,
): LookupDecision<Stored> {
  const { request, control } = lookup;
  const { terms } = stored;
  const remaining = remainingLifetime(stored, now);
  if (terms.noCache) return revalidate(stored, "stale");
  const objects = clientsMayRevalidate &&
    clientObjects(control, request, { age: currentAge(stored, now), remaining });
  if (objects) return revalidate(stored, "request");
  if (remaining > 0) return { type: "fresh", stored };
  if (-remaining < terms.staleWhileRevalidate) return { type: "stale", stored, refresh: true };
  if (!terms.mustRevalidate && clientAccepts(control, -remaining)) {
    return { type: "stale", stored, refresh: false };
  }
  return revalidate(stored, "stale");
}

/** Decides how to handle a request that matched a `cache` rule. */
export function decideLookup<Stored extends StoredResponse>(
  request: CacheReader,
  candidates: readonly Stored[],
  options: LookupOptions,
): LookupDecision<Stored> {
  if (!isReading(request.method)) return { type: "pass", forward: "method" };
  if (mustPass(request)) return { type: "pass", forward: "request" };
  const control = CacheControl.of(request.header("cache-control"));
  const stored = selectStored(request, candidates);
  const decision: LookupDecision<Stored> = stored === undefined
    ? { type: "miss", forward: candidates.length === 0 ? "uri-miss" : "vary-miss" }
    : decideStored(stored, { request, control }, options);
  const noStore = control.has("no-store");
  if (decision.type === "stale" && noStore) return { ...decision, refresh: false };
  if (decision.type !== "miss" && decision.type !== "revalidate") return decision;
  if (control.has("only-if-cached")) return { type: "unavailable" };
  if (noStore) return { type: "pass", forward: "request" };
  if (decision.type === "miss" && request.header("range") !== undefined) {
    return { type: "pass", forward: decision.forward };
  }
  return decision;
}

/**
 * Whether a stale response may be served after the origin failed (RFC 5861, 4; RFC 9111, 4.2.4):
 * for as long as the response or the client allows. If the origin is unreachable, the
 * stale-while-revalidate time counts too, and so does `disconnectedSeconds`, unless the response
 * forbids it.
 */
export function mayServeStaleOnError(
  request: CacheReader,
  stored: StoredResponse,
  failure: {
    readonly now: number;
    readonly unreachable: boolean;
    readonly disconnectedSeconds?: number;
  },
): boolean {
  const { terms } = stored;
  const { disconnectedSeconds = 0 } = failure;
  if (terms.noCache) return false;
  const staleness = -remainingLifetime(stored, failure.now);
  const requested = terms.mustRevalidate
    ? 0
    : new CacheControl(request.header("cache-control")).seconds("stale-if-error") ?? 0;
  const allowed = Math.max(
    terms.staleIfError,
    requested,
    failure.unreachable ? terms.staleWhileRevalidate : 0,
    failure.unreachable && !terms.mustRevalidate ? disconnectedSeconds : 0,
  );
  return staleness < allowed;
}
