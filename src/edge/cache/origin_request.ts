/**
 * What of a client's request does not reach the origin when the answer may be
 * kept for others.
 *
 * @module
 */

/** The client's conditions, ranges and wishes about caches: the cache answers them itself. */
const ANSWERED_HERE = [
  "cache-control",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "pragma",
  "range",
];

/**
 * Fields in no key that well-known servers and frameworks let change the method,
 * the host, the scheme or the path they answer for: with them one request could
 * poison the answer for all. A proxy writes its own `X-Forwarded-*` afterwards.
 */
const UNKEYED = [
  "forwarded",
  "front-end-https",
  "x-forwarded-host",
  "x-forwarded-path",
  "x-forwarded-port",
  "x-forwarded-prefix",
  "x-forwarded-proto",
  "x-forwarded-protocol",
  "x-forwarded-scheme",
  "x-forwarded-server",
  "x-forwarded-ssl",
  "x-forwarded-uri",
  "x-host",
  "x-http-host-override",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-middleware-prefetch",
  "x-middleware-subrequest",
  "x-now-route-matches",
  "x-original-host",
  "x-original-uri",
  "x-original-url",
  "x-proxy-url",
  "x-rewrite-url",
  "x-script-name",
  "x-url-scheme",
];

/** Request fields, in lower case, that are left out of requests for the cache. */
export const NOT_FORWARDED: ReadonlySet<string> = new Set([...ANSWERED_HERE, ...UNKEYED]);
