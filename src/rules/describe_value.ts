/**
 * How messages name a value that an author wrote.
 *
 * @module
 */

const MAX_SHOWN = 60;

/** Names a value as it was written, cut to a length that fits a line. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
  }
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return value instanceof Date ? "a date" : "a table";
}
