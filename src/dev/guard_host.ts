/**
 * @module Rejects requests to the dev server that were triggered by another site (DNS rebinding).
 */

const LOOPBACK = /^(?:localhost|(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Whether a hostname always resolves to this computer. `own` is a hostname that belongs to the
 * project.
 */
export function isLocalHost(hostname: string, own?: string): boolean {
  return LOOPBACK.test(hostname) || (own !== undefined && hostname === own.toLowerCase());
}

/** Whether a browser sent the request. A page cannot make other programs send one. */
function isFromBrowser(headers: Headers): boolean {
  return headers.has("sec-fetch-site") || headers.has("origin") ||
    headers.get("user-agent")?.startsWith("Mozilla/") === true;
}

/**
 * Returns the reason why a request is rejected, or `undefined` if it is accepted. Clients other
 * than browsers can send any `Host`.
 */
export function refusalOf(request: Request, own?: string): string | undefined {
  const { hostname } = new URL(request.url);
  if (isLocalHost(hostname, own) || !isFromBrowser(request.headers)) return undefined;
  return `The dev server only accepts browser requests to localhost, not to ${hostname}\n`;
}

/** Whether a page from another origin made the browser send the request. */
export function isCrossSite({ headers, url }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  const origin = headers.get("origin");
  return origin !== null && origin !== new URL(url).origin;
}
