/**
 * Answers that only lead elsewhere: to another hostname, or to HTTPS.
 *
 * @module
 */

/** Browsers keep a permanent redirect; an hour lets a change of the binding through. */
const CACHE_CONTROL = "public, max-age=3600";

/** Clients may write what a field cannot hold, such as `/€`: the same, as every browser sends it. */
const permanently = (location: string): Response =>
  new Response(null, {
    status: 308,
    headers: {
      location: location.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent),
      "cache-control": CACHE_CONTROL,
    },
  });

/**
 * Sends a request on to another host, with port, path and query as they are;
 * the scheme is that of the connection, whatever the request line says.
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

/** Sends a plain request on to HTTPS on its own port, 443. */
export function redirectToHttps(requestUrl: string): Response {
  const start = requestUrl.indexOf("//") + 2;
  const slash = requestUrl.indexOf("/", start);
  const authority = slash === -1 ? requestUrl.slice(start) : requestUrl.slice(start, slash);
  const target = slash === -1 ? "/" : requestUrl.slice(slash);
  return permanently(`https://${authority.replace(/:\d*$/, "")}${target}`);
}
