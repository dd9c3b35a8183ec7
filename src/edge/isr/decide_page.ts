/**
 * Whether the answer to the request for everyone may be kept for everyone. Pure.
 *
 * @module
 */
import { CacheControl, varyNames } from "../cache/mod.ts";
import { findHeader, type Header, type HeaderList, joinedHeader } from "../messages/mod.ts";

export type PageDecision =
  | { readonly type: "store" }
  /** Nobody may keep it: each client must ask for himself. */
  | { readonly type: "private" }
  /** The server failed: what was kept stays. */
  | { readonly type: "failed" }
  /** The server has nothing there, and another route may have. */
  | { readonly type: "missing" };

/** Pages, redirects, and the word that there is none. */
const CACHEABLE_STATUSES = new Set([200, 203, 301, 302, 303, 307, 308, 404, 410]);

/** Fields that are in the key, or that the request for everyone does not have. */
const NEUTRAL = new Set([
  "accept",
  "accept-encoding",
  "host",
  "x-forwarded-host",
  "x-forwarded-proto",
]);

/** What a browser is told where the server tells it nothing of its own: ask each time. */
const REVALIDATE = "public, max-age=0, must-revalidate";

/** Directives for caches that keep the page in our stead. */
const FOR_SHARED_CACHES = new Set(["s-maxage", "stale-while-revalidate", "stale-if-error"]);

/** Decides about an answer; `stores404` is false where a 404 leads to the next route. */
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
 * `Cache-Control` as clients get it. The kept page is refreshed here, so what
 * the server says to shared caches stays here: a cache beyond would only make
 * the page older.
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
