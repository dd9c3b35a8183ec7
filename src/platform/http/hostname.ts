/**
 * The host that a request is for.
 *
 * @module
 */
import { isIP } from "node:net";

const OPENING_BRACKET = 91;
const FULL_STOP = 46;

/** The host name in a request's URL: lower case, without port and final dot. */
export function hostnameOf(url: string): string {
  const start = url.indexOf("//") + 2;
  let end = url.indexOf("/", start);
  if (end === -1) end = url.length;
  if (url.charCodeAt(start) === OPENING_BRACKET) {
    return url.slice(start, url.indexOf("]", start) + 1);
  }
  const port = url.lastIndexOf(":", end);
  if (port > start) end = port;
  if (url.charCodeAt(end - 1) === FULL_STOP) end--;
  return url.slice(start, end).toLowerCase();
}

/**
 * Makes the test for hosts that the API answers on: the given names and any
 * address in numbers. All other hosts are the edge's.
 */
export function apiHosts(names: readonly string[]): (hostname: string) => boolean {
  const known = new Set(names.map((name) => name.toLowerCase()));
  return (hostname) => known.has(hostname) || hostname.startsWith("[") || isIP(hostname) !== 0;
}
