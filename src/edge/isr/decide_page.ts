/** @module Decides whether a page may be stored and served to all visitors. Pure. */
import { cacheTags } from "../cache/cache_tags.ts";
import { governingField } from "../cache/governing_field.ts";
import type { ResponseHead } from "../cache/decide_store.ts";
import { isEncoded, varyNames } from "../cache/vary.ts";
import { findHeader, type Header, type HeaderList, joinedHeader } from "../messages/header_list.ts";
import { REVALIDATE } from "../static/cache_control.ts";
import type { Storable } from "./types.ts";

export type PageDecision =
  | Storable
  /** Why the page must not be shared. Each client gets its own response. */
  | { readonly type: "private"; readonly reason: string }
  /** The server failed, so the stored page is kept. */
  | { readonly type: "failed" }
  /** The server has no such page, but the next route may have one. */
  | { readonly type: "missing" };

/** Statuses of pages, redirects and missing pages. */
export const CACHEABLE_STATUSES = new Set([200, 203, 301, 302, 303, 307, 308, 404, 410]);

/**
 * Headers that the Next.js router sends to request the data of a page instead of its HTML. They are
 * part of a page's cache key, and the shared request for the page contains them.
 */
export const ROUTER_FIELDS = [
  "rsc",
  "next-router-prefetch",
  "next-router-segment-prefetch",
  "next-router-state-tree",
  "next-url",
] as const;

/**
 * Request headers that `Vary` may name without making a page private: they are in the cache key, or
 * the shared request lacks them.
 */
const NEUTRAL = new Set([
  "accept",
  "accept-encoding",
  "host",
  "x-forwarded-host",
  "x-forwarded-proto",
  ...ROUTER_FIELDS,
]);

/** Directives for shared caches, such as the ISR cache. */
const FOR_SHARED_CACHES = new Set(["s-maxage", "stale-while-revalidate", "stale-if-error"]);

const refuse = (reason: string): PageDecision => ({ type: "private", reason });

/**
 * Returns the reason why a response with these headers is not shared, even if it is declared
 * cacheable.
 */
export function privateReason({ headers }: Pick<ResponseHead, "headers">): string | undefined {
  const { control } = governingField(headers);
  if (control.has("no-store")) return "no_store";
  if (control.has("private")) return "private";
  if (control.has("no-cache")) return "no_cache";
  if (findHeader(headers, "set-cookie") !== undefined) return "set_cookie";
  if (findHeader(headers, "content-type")?.startsWith("text/event-stream")) return "event_stream";
  return cacheTags(headers) === undefined ? "tags" : undefined;
}

/**
 * Decides whether to store a response on a route with `revalidate`. `stores404` is false if a 404
 * falls through to the next route.
 */
export function decidePage(
  { status, headers }: ResponseHead,
  { stores404 }: { readonly stores404: boolean },
): PageDecision {
  if (status >= 500) return { type: "failed" };
  if (status === 404 && !stores404) return { type: "missing" };
  if (!CACHEABLE_STATUSES.has(status)) return refuse("status");
  const reason = privateReason({ headers });
  if (reason !== undefined) return refuse(reason);
  if (varyNames(headers).some((name) => !NEUTRAL.has(name))) return refuse("vary");
  if (isEncoded(headers)) return refuse("encoded");
  const tags = cacheTags(headers) ?? [];
  return { type: "store", tags, vary: [], initialAge: 0, isKept: true };
}

/** Directives that clients must get unchanged. */
const FOR_CLIENTS = new Set(["max-age", "no-cache", "no-store", "private"]);

/**
 * Returns the `Cache-Control` field for clients. Pages are refreshed here, so directives for shared
 * caches are removed. Another cache in front would only make the page older. If the server sends no
 * directives for clients, clients revalidate each time.
 */
export function clientCacheControl(headers: HeaderList): Header {
  const directives = (joinedHeader(headers, "cache-control") ?? "").split(",")
    .map((directive) => directive.trim());
  const named = (directive: string) => directive.split("=")[0]!.trimEnd().toLowerCase();
  const kept = directives.filter((directive) =>
    directive !== "" && !FOR_SHARED_CACHES.has(named(directive))
  );
  const isForClients = kept.some((directive) => FOR_CLIENTS.has(named(directive)));
  return ["cache-control", isForClients ? kept.join(", ") : REVALIDATE];
}
