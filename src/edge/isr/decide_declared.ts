/**
 * @module Decides whether to store responses that declare how long a shared cache may keep them.
 * Pure.
 */
import { HOP_BY_HOP } from "../../lib/hop_by_hop.ts";
import type { CacheRequest, Terms, VaryField } from "../cache/types.ts";
import { cacheTags } from "../cache/cache_tags.ts";
import { type GoverningField, governingField } from "../cache/governing_field.ts";
import { initialAge } from "../cache/freshness.ts";
import { MAX_SECONDS } from "../cache/cache_control.ts";
import type { ResponseHead } from "../cache/decide_store.ts";
import { UNKEYED } from "../cache/origin_request.ts";
import { isEncoded, varyNames, varyValue } from "../cache/vary.ts";
import { findHeader, type HeaderList } from "../messages/header_list.ts";
import { isSpoofable } from "../messages/spoofable_headers.ts";
import { CACHEABLE_STATUSES, type PageDecision, privateReason } from "./decide_page.ts";

export type DeclaredDecision =
  | PageDecision
  /** The response declares no lifetime for a shared cache. */
  | { readonly type: "undeclared" };

/** Minimum lifetime of pages that are stored on disk, in seconds. */
const MIN_KEPT_SECONDS = 60;

/** Header fields whose values are in the cache key as the edge writes them. */
const IN_KEY = new Set(["host", "x-forwarded-host", "x-forwarded-proto"]);

/** Header fields that differ between visitors. A page that depends on them is never shared. */
const PERSONAL = new Set(["cookie", "authorization"]);

/**
 * Request headers that are not in the cache key, but that reach the server and change the responses
 * of some servers.
 */
const POISONOUS = UNKEYED.filter((name) => !isSpoofable(name));

/** The properties of a request that the decision depends on. */
interface DeclaredFacts {
  readonly request: Pick<CacheRequest, "method"> & {
    readonly isPrivate: boolean;
    header(name: string): string | undefined;
  };
  /** When the request was sent, in milliseconds since the Unix epoch. */
  readonly askedAt: number;
  /** Whether a 404 is stored. */
  readonly stores404: boolean;
  /** Whether the request contains no client data except for the data that selects the page. */
  readonly isShared: boolean;
}

/**
 * Returns the number of seconds in a directive's value. A directive without a value sets no limit.
 * Nitro uses `stale-while-revalidate` this way.
 */
function staleSeconds({ control }: GoverningField, name: string): number {
  if (!control.has(name)) return 0;
  return control.value(name) === undefined ? MAX_SECONDS : control.seconds(name)!;
}

/**
 * Returns the cache terms of a response, or `undefined` if it declares no lifetime for shared
 * caches.
 */
function declaredTerms(governing: GoverningField, headers: HeaderList): Terms | undefined {
  const { control, isTargeted } = governing;
  const lifetime = control.seconds("s-maxage") ??
    (isTargeted ? control.seconds("max-age") : undefined);
  if (lifetime === undefined) return undefined;
  const mustRevalidate = control.has("must-revalidate") || control.has("proxy-revalidate");
  // Next.js may serve a stale page while it renders the next one. Here, the stale page does not
  // count as fresh.
  const isStale = findHeader(headers, "x-nextjs-cache") === "STALE";
  return {
    lifetime: isStale ? 0 : lifetime,
    staleWhileRevalidate: mustRevalidate ? 0 : staleSeconds(governing, "stale-while-revalidate"),
    staleIfError: mustRevalidate ? 0 : staleSeconds(governing, "stale-if-error"),
    mustRevalidate,
    noCache: false,
    sharedWithAuthorized: control.has("public") || control.has("must-revalidate"),
  };
}

/**
 * Returns the request headers that select the response, or `undefined` if no other client can get
 * the response.
 */
function selectingFields(
  headers: HeaderList,
  request: DeclaredFacts["request"],
): readonly VaryField[] | undefined {
  const names = new Set(varyNames(headers));
  if (isEncoded(headers)) names.add("accept-encoding");
  const selecting: VaryField[] = [];
  for (const name of names) {
    if (IN_KEY.has(name)) continue;
    const isForNobody = name === "*" || PERSONAL.has(name) || isSpoofable(name) ||
      HOP_BY_HOP.has(name);
    if (isForNobody) return undefined;
    selecting.push({ name, value: varyValue(name, request) });
  }
  return selecting;
}

/** Returns the reason why the response to this client is not stored for others. */
function clientReason({ request, isShared }: DeclaredFacts, terms: Terms): string | undefined {
  if (request.method !== "GET") return "method";
  if (isShared) return undefined;
  if (request.isPrivate) return "request";
  if (request.header("authorization") !== undefined && !terms.sharedWithAuthorized) {
    return "authorization";
  }
  return POISONOUS.some((name) => request.header(name) !== undefined) ? "request" : undefined;
}

/** Decides whether to store a server's response on a route without `revalidate`. */
export function decideDeclared(response: ResponseHead, facts: DeclaredFacts): DeclaredDecision {
  const { status, headers } = response;
  const { request, askedAt, stores404 } = facts;
  if (status >= 500) return { type: "failed" };
  if (status === 404 && !stores404) return { type: "missing" };
  const terms = declaredTerms(governingField(headers), headers);
  if (terms === undefined) return { type: "undeclared" };
  const usable = terms.lifetime + Math.max(terms.staleWhileRevalidate, terms.staleIfError);
  const age = initialAge(headers, { requestTime: askedAt, responseTime: askedAt });
  const vary = selectingFields(headers, request);
  const reason = (CACHEABLE_STATUSES.has(status) ? undefined : "status") ??
    privateReason(response) ?? clientReason(facts, terms) ??
    (vary === undefined ? "vary" : undefined) ?? (usable > age ? undefined : "no_use");
  if (reason !== undefined) return { type: "private", reason };
  return {
    type: "store",
    tags: cacheTags(headers) ?? [],
    vary: vary!,
    terms,
    initialAge: age,
    isKept: usable - age >= MIN_KEPT_SECONDS,
  };
}
