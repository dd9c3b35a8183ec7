/** @module Tables for people, in plain aligned columns that `awk` and `cut` can read too. */
import { printable } from "./format.ts";

const GAP = "  ";

/** One cell per column; control characters become visible, line breaks become spaces. */
function clean(cell: string): string {
  return printable(cell).replace(/[\n\t]+/g, " ");
}

/** Left-aligned columns under their headings; the last column is not padded. */
function alignColumns(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows];
  const widths = headings.map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0))
  );
  return cells.map((row) =>
    row.map((cell, column) => column === row.length - 1 ? cell : cell.padEnd(widths[column]!))
      .join(GAP).trimEnd()
  ).join("\n");
}

/** Each row as lines of heading and value, for terminals that the columns do not fit. */
function stackRows(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.map((row) =>
    formatFacts(headings.map((heading, column) => [heading, row[column] || undefined]))
  ).join("\n\n");
}

/** A table as aligned columns, or row by row if those are wider than `width`. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width: number = Infinity,
): string {
  const cleaned = rows.map((row) => row.map(clean));
  const aligned = alignColumns(headings, cleaned);
  const isFitting = aligned.split("\n").every((line) => line.length <= width);
  return isFitting ? aligned : stackRows(headings, cleaned);
}

/** `name  value` lines; facts without a value are left out. */
export function formatFacts(
  facts: readonly (readonly [string, string | null | undefined])[],
): string {
  const present = facts.flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, clean(value)] as const]
  );
  const width = Math.max(0, ...present.map(([name]) => name.length));
  return present.map(([name, value]) => `${name.padEnd(width)}${GAP}${value}`).join("\n");
}
