/**
 * @module Decides whether a response may be stored, and under which conditions (RFC 9111, 3). Pure:
 * takes the fields of request and response, the rule and the time, and returns a tagged decision.
 * `docs/caching.md` explains the decision to rule authors.
 */
import { findHeader, type HeaderList } from "../messages/header_list.ts";
import { CacheControl } from "./cache_control.ts";
import { cacheTags } from "./cache_tags.ts";
import { fitsPath } from "./content_type_fit.ts";
import { type ExchangeTimes, initialAge, ownLifetime } from "./freshness.ts";
import { governingField } from "./governing_field.ts";
import type { CacheRequest, CacheRule, Terms } from "./types.ts";
import { varyNames } from "./vary.ts";

type RefusalReason =
  | "method"
  | "status"
  | "partial"
  | "request_no_store"
  | "no_store"
  | "current"
  | "private"
  | "authorization"
  | "set_cookie"
  | "vary_all"
  | "event_stream"
  | "content_type"
  | "tags"
  | "no_use";

export type StoreDecision =
  | {
    readonly type: "store";
    readonly terms: Terms;
    readonly initialAge: number;
    /** Fields that must not be stored, in lower case. */
    readonly dropped: readonly string[];
    readonly tags: readonly string[];
  }
  | { readonly type: "pass"; readonly reason: RefusalReason };

/** The fields of a response that the decision depends on. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: HeaderList;
  readonly isCurrent?: boolean | undefined;
}

/**
 * Statuses of responses that can be stored for the rule's lifetime (RFC 9110, 15.1), except for
 * 206.
 */
const CACHEABLE_BY_DEFAULT = new Set([200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]);

/** Statuses that this cache understands, as `must-understand` requires (RFC 9111, 5.2.2.3). */
const UNDERSTOOD = new Set([...CACHEABLE_BY_DEFAULT, 302, 303, 307, 400, 403, 500, 502, 503, 504]);

/** Maximum lifetime of an error, in seconds, if only the rule sets a lifetime. */
const MAX_ERROR_SECONDS = 60;

/** Whether the origin explicitly allows shared caches to store the response (RFC 9111, 3.5). */
function isForSharing(control: CacheControl): boolean {
  return control.has("public") || control.has("s-maxage");
}

function refusal(
  request: CacheRequest,
  { status, headers, isCurrent }: ResponseHead,
  control: CacheControl,
): RefusalReason | undefined {
  if (isCurrent === true) return "current";
  const understood = control.has("must-understand");
  if (request.method !== "GET" && request.method !== "HEAD") return "method";
  if (status === 206) return "partial";
  if (status < 200 || status === 304 || (understood && !UNDERSTOOD.has(status))) return "status";
  if (new CacheControl(request.header("cache-control")).has("no-store")) return "request_no_store";
  if (control.has("no-store") && !understood) return "no_store";
  if (control.hasUnqualified("private")) return "private";
  const mayShare = isForSharing(control);
  if (
    request.header("authorization") !== undefined && !mayShare && !control.has("must-revalidate")
  ) {
    return "authorization";
  }
  const withheld = [...control.fields("private"), ...control.fields("no-cache")];
  const setsCookie = findHeader(headers, "set-cookie") !== undefined;
  if (setsCookie && !mayShare && !withheld.includes("set-cookie")) return "set_cookie";
  if (varyNames(headers).includes("*")) return "vary_all";
  const contentType = findHeader(headers, "content-type");
  if (contentType?.startsWith("text/event-stream")) return "event_stream";
  if (!mayShare && !fitsPath(request.path, contentType)) return "content_type";
  return undefined;
}

/** Returns the rule's lifetime, which applies to a response that declares none itself. */
function ruleLifetime(status: number, rule: CacheRule): number | undefined {
  if (!CACHEABLE_BY_DEFAULT.has(status)) return undefined;
  return status >= 400 ? Math.min(rule.ttlSeconds, MAX_ERROR_SECONDS) : rule.ttlSeconds;
}

/**
 * Returns the terms for storing a response. The response's own stale-while-revalidate takes
 * precedence over the rule's, and applies even with `s-maxage`, because stale-while-revalidate is
 * more specific.
 */
function termsOf(control: CacheControl, lifetime: number, rule: CacheRule): Terms {
  const noCache = control.hasUnqualified("no-cache");
  const mustRevalidate = control.has("must-revalidate") || control.has("proxy-revalidate");
  const mayBeStale = !noCache && !mustRevalidate;
  const swr = control.seconds("stale-while-revalidate") ??
    (control.has("s-maxage") ? 0 : rule.swrSeconds);
  return {
    lifetime,
    staleWhileRevalidate: mayBeStale ? swr : 0,
    staleIfError: mayBeStale ? control.seconds("stale-if-error") ?? 0 : 0,
    mustRevalidate: mustRevalidate || control.has("s-maxage"),
    noCache,
    sharedWithAuthorized: isForSharing(control) || control.has("must-revalidate"),
  };
}

/** Whether the response could be used for a later request, directly or after revalidation. */
function isOfUse(terms: Terms, headers: HeaderList, age: number): boolean {
  const canValidate = headers.some(([name]) => name === "etag" || name === "last-modified");
  if (canValidate) return true;
  const usable = terms.lifetime + Math.max(terms.staleWhileRevalidate, terms.staleIfError);
  return !terms.noCache && usable > age;
}

/**
 * Decides whether and how to store the response to a request that matched a `cache` rule. The
 * response's own lifetime takes precedence over the rule's. There is no heuristic freshness.
 */
export function decideStore(
  request: CacheRequest,
  response: ResponseHead,
  options: { readonly rule: CacheRule; readonly times: ExchangeTimes },
): StoreDecision {
  const { status, headers } = response;
  const { rule, times } = options;
  const governing = governingField(headers);
  const { control } = governing;
  const reason = refusal(request, response, control);
  if (reason !== undefined) return { type: "pass", reason };
  const tags = cacheTags(headers);
  if (tags === undefined) return { type: "pass", reason: "tags" };
  const lifetime = ownLifetime(headers, governing, times.responseTime) ??
    ruleLifetime(status, rule);
  if (lifetime === undefined) return { type: "pass", reason: "status" };
  const terms = termsOf(control, lifetime, rule);
  const age = initialAge(headers, times);
  if (!isOfUse(terms, headers, age)) return { type: "pass", reason: "no_use" };
  const dropped = [...control.fields("private"), ...control.fields("no-cache")];
  return { type: "store", terms, initialAge: age, dropped, tags };
}
