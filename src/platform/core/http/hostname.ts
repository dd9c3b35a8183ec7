/** The host of a request. @module */
import { isIPv4 } from "node:net";

const OPENING_BRACKET = 91;
const FULL_STOP = 46;
const DIGIT_ZERO = 48;
const DIGIT_NINE = 57;

/**
 * Returns true for every IPv4 address, and for very few other names. Most names therefore need no
 * full check.
 */
function endsInDigit(hostname: string): boolean {
  const last = hostname.charCodeAt(hostname.length - 1);
  return last >= DIGIT_ZERO && last <= DIGIT_NINE;
}

/**
 * The host of the latest URL. A client often sends several requests in a row, and they can share
 * the string.
 */
let latest = { origin: "", hostname: "" };

/** Returns the hostname in a request's URL, in lower case and without a port or trailing dot. */
export function hostnameOf(url: string): string {
  if (latest.origin !== "" && url.startsWith(latest.origin)) return latest.hostname;
  const slash = url.indexOf("/", url.indexOf("//") + 2);
  const hostname = readHostname(url, slash === -1 ? url.length : slash);
  if (slash !== -1) latest = { origin: url.slice(0, slash + 1), hostname };
  return hostname;
}

function readHostname(url: string, endOfOrigin: number): string {
  const start = url.indexOf("//") + 2;
  let end = endOfOrigin;
  if (url.charCodeAt(start) === OPENING_BRACKET) {
    return url.slice(start, url.indexOf("]", start) + 1);
  }
  const port = url.lastIndexOf(":", end);
  if (port > start) end = port;
  if (url.charCodeAt(end - 1) === FULL_STOP) end--;
  return url.slice(start, end).toLowerCase();
}

/**
 * Returns a function that recognizes API hosts: the given names, and all IP addresses. All other
 * hosts belong to the edge.
 */
export function apiHosts(names: readonly string[]): (hostname: string) => boolean {
  const known = new Set(names.map((name) => name.toLowerCase()));
  return (hostname) =>
    known.has(hostname) || hostname.startsWith("[") || (endsInDigit(hostname) && isIPv4(hostname));
}
