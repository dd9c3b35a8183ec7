/**
 * Tells requests from the platform's own pages apart from those that another site triggers.
 * Browsers treat deployments under the platform's host as the same site, so `SameSite` cookies are
 * not enough. Only the same origin counts.
 *
 * @module
 */
import { Failure } from "./failure.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Returns whether a method changes nothing (RFC 9110, 9.2.1). */
export function isSafeMethod(method: string): boolean {
  return SAFE_METHODS.has(method);
}

/**
 * Uses `Sec-Fetch-Site` or, if it is missing, `Origin`. Returns `unknown` if the request has
 * neither field. All current browsers send at least one.
 */
export function originOf(request: Request, publicOrigin: string): "same" | "other" | "unknown" {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none" ? "same" : "other";
  const origin = request.headers.get("origin");
  if (origin === null) return "unknown";
  if (origin === publicOrigin) return "same";
  const host = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();
  return host !== undefined && host === new URL(request.url).host ? "same" : "other";
}

export function crossOriginFailure(): Failure {
  return new Failure(
    "forbidden",
    "Cannot accept this request: it must come from the platform's own pages",
    { hint: "Reload the page and try again. In a script, send an API key instead of a cookie." },
  );
}
