/**
 * The answer of a hostname that only leads to another.
 *
 * @module
 */

/** Browsers keep a permanent redirect; an hour lets a change of the binding through. */
const CACHE_CONTROL = "public, max-age=3600";

/** Sends a request on to another host, with scheme, port, path and query as they are. */
export function redirectToHost(requestUrl: string, hostname: string): Response {
  const start = requestUrl.indexOf("//") + 2;
  const slash = requestUrl.indexOf("/", start);
  const end = slash === -1 ? requestUrl.length : slash;
  const port = /:\d+$/.exec(requestUrl.slice(start, end))?.[0] ?? "";
  const target = slash === -1 ? "/" : requestUrl.slice(slash);
  return new Response(null, {
    status: 308,
    headers: {
      location: `${requestUrl.slice(0, start)}${hostname}${port}${target}`,
      "cache-control": CACHE_CONTROL,
    },
  });
}
