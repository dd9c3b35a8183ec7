/**
 * The `Retry-After` of an answer (RFC 9110, 10.2.3).
 *
 * @module
 */

/** Reads seconds or a date; milliseconds from now, `undefined` where it says neither. */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2}, /.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
