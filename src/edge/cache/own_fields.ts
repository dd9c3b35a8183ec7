/**
 * Response fields by which a server speaks to this cache alone.
 *
 * @module
 */
import type { Header, HeaderList } from "../messages/header_list.ts";

/** Fields that clients do not get. */
const CONSUMED: ReadonlySet<string> = new Set([
  "svc-cache-tag",
  "svc-cdn-cache-control",
  "x-next-cache-tags",
]);

/** Whether clients do not get a field, its name in lower case. */
export function isConsumed(name: string): boolean {
  return CONSUMED.has(name);
}

/** The fields that clients get. */
export function withoutConsumed(headers: HeaderList): Header[] {
  return headers.filter(([name]) => !CONSUMED.has(name));
}

/**
 * Whether a response may speak to this cache: it has a field for it, or `s-maxage`.
 * All that a response costs whose server never does.
 */
export function concernsCache(headers: HeaderList): boolean {
  for (const [name, value] of headers) {
    if (name === "cache-control") {
      if (value.toLowerCase().includes("s-maxage")) return true;
    } else if (name === "cdn-cache-control" || CONSUMED.has(name)) return true;
  }
  return false;
}
