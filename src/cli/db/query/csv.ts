/**
 * @module Formats rows as CSV (RFC 4180). Nulls and empty strings are written as in PostgreSQL's
 * `COPY … CSV`.
 */

const LINE_END = "\r\n";

function csvField(value: string | null): string {
  if (value === null) return "";
  if (value !== "" && !/[",\r\n]|^\s|\s$/.test(value)) return value;
  return `"${value.replaceAll('"', '""')}"`;
}

/** Formats one record, including its line break. */
export function csvRecord(values: readonly (string | null)[]): string {
  // A record with a single null would be an empty line, which readers skip.
  if (values.length === 1 && values[0] === null) return `""${LINE_END}`;
  return values.map(csvField).join(",") + LINE_END;
}
