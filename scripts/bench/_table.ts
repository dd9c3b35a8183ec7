/**
 * Tables as the benches print them.
 *
 * @module
 */

/** Formats columns of text under headings. Numbers are right-aligned. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) =>
      /^[\d.,<> x]+$/.test(cell) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
    ).join("  ").trimEnd();
  return [line(headings), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)]
    .join("\n");
}

/**
 * Returns the median: the middle value, or the mean of the two middle values if there is an even
 * number of values.
 */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("The median needs at least one value");
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Formats a whole number with thousands separators: `31,204`. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Formats a target with at least one decimal place. */
const aimText = (aim: number): string => Number.isInteger(aim * 10) ? aim.toFixed(1) : String(aim);

/** Formats a ratio with its target, and whether the target is met. */
export function againstAim(ratio: number, aim: number): string {
  return `${ratio.toFixed(2)} (aim ${aimText(aim)}: ${ratio >= aim ? "met" : "MISSED"})`;
}

/** Formats a ratio with its upper limit, and whether the limit is met. */
export function againstMost(ratio: number, most: number): string {
  return `${ratio.toFixed(2)} (at most ${aimText(most)}: ${ratio <= most ? "met" : "MISSED"})`;
}
