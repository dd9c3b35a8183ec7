/**
 * @module `Max-Forwards`: how many more times an OPTIONS request may be forwarded (RFC 9110,
 * 7.6.2).
 */
import type { Header } from "./header_list.ts";

export const MAX_FORWARDS = "max-forwards";

/**
 * Returns the number in the value of `Max-Forwards`, or `undefined` if the value is not a number.
 */
export function hopsLeft(value: string | null): number | undefined {
  const text = value?.trim() ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/**
 * Returns the header fields of a request for the next hop. For OPTIONS, `Max-Forwards` is decreased
 * by one.
 */
export function withOneHopLess(method: string, headers: readonly Header[]): readonly Header[] {
  if (method !== "OPTIONS") return headers;
  return headers.map(([name, value]): Header => {
    const left = name === MAX_FORWARDS ? hopsLeft(value) : undefined;
    return [name, left === undefined ? value : String(Math.max(0, left - 1))];
  });
}
