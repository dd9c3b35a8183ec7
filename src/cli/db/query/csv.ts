/**
 * Rows as CSV (RFC 4180). As PostgreSQL's own `COPY … CSV` has it, null is an
 * empty field and an empty text is `""`.
 *
 * @module
 */

const LINE_END = "\r\n";

function csvField(value: string | null): string {
  if (value === null) return "";
  if (value !== "" && !/[",\r\n]|^\s|\s$/.test(value)) return value;
  return `"${value.replaceAll('"', '""')}"`;
}

/** One record with its line end. */
export function csvRecord(values: readonly (string | null)[]): string {
  // A record of one null would be an empty line, which readers skip.
  if (values.length === 1 && values[0] === null) return `""${LINE_END}`;
  return values.map(csvField).join(",") + LINE_END;
}
