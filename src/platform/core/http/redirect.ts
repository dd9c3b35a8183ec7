/** Redirects: to another hostname, or to HTTPS. @module */

/**
 * Browsers cache a permanent redirect. This limit makes them notice a changed binding within an
 * hour.
 */
const CACHE_CONTROL = "public, max-age=3600";

/**
 * Redirects permanently. Encodes characters that a header field cannot contain, such as `€`, just
 * as browsers do.
 */
const permanently = (location: string): Response =>
  new Response(null, {
    status: 308,
    headers: {
      location: location.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent),
      "cache-control": CACHE_CONTROL,
    },
  });

/**
 * Redirects to another host. Keeps the connection's scheme and port, and the request's path and
 * query.
 */
export function redirectToHost(
  requestUrl: string,
  { hostname, scheme }: { readonly hostname: string; readonly scheme: "http" | "https" },
): Response {
  const start = requestUrl.indexOf("//") + 2;
  const slash = requestUrl.indexOf("/", start);
  const end = slash === -1 ? requestUrl.length : slash;
  const port = /:\d+$/.exec(requestUrl.slice(start, end))?.[0] ?? "";
  const target = slash === -1 ? "/" : requestUrl.slice(slash);
  return permanently(`${scheme}://${hostname}${port}${target}`);
}

/** Redirects to HTTPS on its default port, 443. */
export function redirectToHttps(requestUrl: string): Response {
  const start = requestUrl.indexOf("//") + 2;
  const slash = requestUrl.indexOf("/", start);
  const authority = slash === -1 ? requestUrl.slice(start) : requestUrl.slice(start, slash);
  const target = slash === -1 ? "/" : requestUrl.slice(slash);
  return permanently(`https://${authority.replace(/:\d*$/, "")}${target}`);
}
