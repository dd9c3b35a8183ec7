/** @module Readable tables in plain, aligned columns, which `awk` and `cut` can parse too. */
import { printable } from "./format.ts";

const GAP = "  ";

/** Escapes the control characters of a cell, and replaces line breaks with spaces. */
function clean(cell: string): string {
  return printable(cell).replace(/[\n\t]+/g, " ");
}

/** Left-aligns columns under their headings. The last column is not padded. */
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

/** Formats each row as `heading value` lines, for terminals that are too narrow for the columns. */
function stackRows(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.map((row) =>
    formatFacts(headings.map((heading, column) => [heading, row[column] || undefined]))
  ).join("\n\n");
}

/** Formats a table as aligned columns, or row by row if the columns are wider than `width`. */
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

/** Formats `name value` lines. Leaves out names without a value. */
export function formatFacts(
  facts: readonly (readonly [string, string | null | undefined])[],
): string {
  const present = facts.flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, clean(value)] as const]
  );
  const width = Math.max(0, ...present.map(([name]) => name.length));
  return present.map(([name, value]) => `${name.padEnd(width)}${GAP}${value}`).join("\n");
}
