/** @module The request fields that a storable response must not depend on. */

/** The client's conditions, ranges and cache directives, which the cache evaluates itself. */
export const ANSWERED_HERE: ReadonlySet<string> = new Set([
  "cache-control",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "pragma",
  "range",
]);

/**
 * Fields that are not in the cache key and that override the method, host, scheme or path in
 * well-known servers and frameworks. A single request with such a field could poison the cache for
 * everyone. The proxy adds its own `X-Forwarded-*` fields afterwards.
 */
export const UNKEYED: readonly string[] = [
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
  "x-original-host",
  "x-original-uri",
  "x-original-url",
  "x-proxy-url",
  "x-rewrite-url",
  "x-script-name",
  "x-url-scheme",
];

/** Lowercase names of the request fields that are not sent with requests for the cache. */
export const NOT_FORWARDED: ReadonlySet<string> = new Set([...ANSWERED_HERE, ...UNKEYED]);
