/**
 * Tables and lists of facts for people, in plain aligned columns that `awk`
 * and `cut` can read too.
 *
 * @module
 */
import { printable } from "./format.ts";

const GAP = "  ";

/** One cell per column; control characters are made visible, line breaks become spaces. */
function clean(cell: string): string {
  return printable(cell).replace(/[\n\t]+/g, " ");
}

/** Left-aligned columns under their headings; the last column is not padded. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = [headings, ...rows].map((row) => row.map(clean));
  const widths = headings.map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0))
  );
  return cells.map((row) =>
    row.map((cell, column) => column === row.length - 1 ? cell : cell.padEnd(widths[column]!))
      .join(GAP).trimEnd()
  ).join("\n");
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
