/**
 * Decides whether a page may be stored and served to all visitors. Pure.
 *
 * @module
 */
import { CacheControl, varyNames } from "../cache/mod.ts";
import { findHeader, type Header, type HeaderList, joinedHeader } from "../messages/mod.ts";
import { REVALIDATE } from "../static/mod.ts";

export type PageDecision =
  | { readonly type: "store" }
  /** It must not be shared: each client gets a response of its own. */
  | { readonly type: "private" }
  /** The server failed: the stored page stays. */
  | { readonly type: "failed" }
  /** The server has no such page, but the next route may have one. */
  | { readonly type: "missing" };

/** Pages, redirects, and the absence of a page. */
const CACHEABLE_STATUSES = new Set([200, 203, 301, 302, 303, 307, 308, 404, 410]);

/** Fields that are in the key, or that the shared request does not have. */
const NEUTRAL = new Set([
  "accept",
  "accept-encoding",
  "host",
  "x-forwarded-host",
  "x-forwarded-proto",
]);

/** Directives for shared caches, which the ISR cache takes the place of. */
const FOR_SHARED_CACHES = new Set(["s-maxage", "stale-while-revalidate", "stale-if-error"]);

/** Decides about a response; `stores404` is false where a 404 leads to the next route. */
export function decidePage(
  { status, headers }: { readonly status: number; readonly headers: HeaderList },
  { stores404 }: { readonly stores404: boolean },
): PageDecision {
  if (status >= 500) return { type: "failed" };
  if (status === 404 && !stores404) return { type: "missing" };
  const control = new CacheControl(joinedHeader(headers, "cache-control"));
  const isForOne = control.has("private") || control.has("no-store") || control.has("no-cache") ||
    findHeader(headers, "set-cookie") !== undefined;
  const isChosen = varyNames(headers).some((name) => !NEUTRAL.has(name));
  const isEncoded = (findHeader(headers, "content-encoding") ?? "identity") !== "identity";
  const isStream = findHeader(headers, "content-type")?.startsWith("text/event-stream") ?? false;
  const keeps = CACHEABLE_STATUSES.has(status) && !isForOne && !isChosen && !isEncoded && !isStream;
  return { type: keeps ? "store" : "private" };
}

/**
 * `Cache-Control` for clients. Pages are refreshed here, so directives for shared
 * caches are removed: another cache in front would only make the page older.
 * Without a `max-age` of the server, clients revalidate each time.
 */
export function clientCacheControl(headers: HeaderList): Header {
  const directives = (joinedHeader(headers, "cache-control") ?? "").split(",")
    .map((directive) => directive.trim());
  const named = (directive: string) => directive.split("=")[0]!.trimEnd().toLowerCase();
  const kept = directives.filter((directive) =>
    directive !== "" && !FOR_SHARED_CACHES.has(named(directive))
  );
  const saysHowLong = kept.some((directive) => named(directive) === "max-age");
  return ["cache-control", saysHowLong ? kept.join(", ") : REVALIDATE];
}
