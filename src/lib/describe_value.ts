/** @module Describes a value written by an author, for messages. */

/** Maximum length of text to show in full, in characters. */
const MAX_SHOWN = 60;

function describeText(text: string): string {
  return text.length <= MAX_SHOWN
    ? JSON.stringify(text)
    : `${JSON.stringify(`${text.slice(0, MAX_SHOWN)}…`)} (${text.length} characters)`;
}

/**
 * Describes a value as it was written, shortened to fit a line. `table` is the format's name for
 * named fields: "a table" in TOML, "an object" in JSON.
 */
export function describeValue(value: unknown, table = "a table"): string {
  if (typeof value === "string") return describeText(value);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return "a number out of range";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return value instanceof Date ? "a date" : table;
}
