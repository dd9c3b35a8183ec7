/** @module Response fields that a server addresses only to this cache. */
import type { Header, HeaderList } from "../messages/header_list.ts";

/** Fields that are not sent to clients. */
const CONSUMED: ReadonlySet<string> = new Set([
  "svc-cache-tag",
  "svc-cdn-cache-control",
  "x-next-cache-tags",
]);

/** Whether a field is withheld from clients, given its name in lower case. */
export function isConsumed(name: string): boolean {
  return CONSUMED.has(name);
}

/** Returns the fields that are sent to clients. */
export function withoutConsumed(headers: HeaderList): Header[] {
  return headers.filter(([name]) => !CONSUMED.has(name));
}

/**
 * Whether a response has a field for this cache, or `s-maxage`. For responses with neither, this
 * check is the only cost.
 */
export function concernsCache(headers: HeaderList): boolean {
  for (const [name, value] of headers) {
    if (name === "cache-control") {
      if (value.toLowerCase().includes("s-maxage")) return true;
    } else if (name === "cdn-cache-control" || CONSUMED.has(name)) return true;
  }
  return false;
}
