/**
 * @module Formats rows as readable text. Results are untrusted and must not be able to control the
 *   terminal.
 */
import type { Palette } from "../../terminal/color.ts";
import { type Column, isNumber, type Row } from "./result_set.ts";
import { cutToWidth, onOneLine, padTo, widthOf } from "./text_width.ts";

/** Representation of SQL null, dimmed to distinguish it from the text `NULL`. */
const NULL = "NULL";
/** Minimum width of a shortened column. */
const MIN_COLUMN = 6;
/** Separator between columns. */
const GAP = " | ";
/** Maximum length of the line above each row in row-by-row output. */
const MAX_RULE = 60;

interface RowLayout {
  /**
   * Width of the terminal in columns. Longer values are cut off. If it is `undefined`, values are
   * shown in full.
   */
  readonly width: number | undefined;
  /** True to show each row separately, with one line for each value. */
  readonly expanded?: boolean;
  readonly colors: Palette;
}

/** Narrows the widest columns until all fit, or returns `undefined` if they cannot fit. */
export function fitWidths(
  wanted: readonly number[],
  width: number,
): readonly number[] | undefined {
  const room = width - GAP.length * (wanted.length - 1) - 2;
  const least = wanted.map((column) => Math.min(column, MIN_COLUMN));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  if (sum(wanted) <= room) return wanted;
  if (sum(least) > room) return undefined;
  // Finds the greatest maximum width at which all columns fit.
  let [low, high] = [MIN_COLUMN, room];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(wanted.map((column) => Math.min(column, middle))) <= room) low = middle;
    else high = middle - 1;
  }
  return wanted.map((column) => Math.min(column, low));
}

interface Cell {
  readonly text: string;
  readonly isNull: boolean;
}

const toCell = (value: string | null): Cell =>
  value === null ? { text: NULL, isNull: true } : { text: onOneLine(value), isNull: false };

function formatAsTable(
  columns: readonly Column[],
  cells: readonly (readonly Cell[])[],
  widths: readonly number[],
  colors: Palette,
): string {
  const lineOf = (parts: readonly string[]) => ` ${parts.join(GAP)}`.trimEnd();
  const heading = columns.map(({ name }, column) => {
    const text = cutToWidth(onOneLine(name), widths[column]!);
    return colors.bold(padTo(text, widths[column]!, isNumber(columns[column]!) ? "left" : "right"));
  });
  const rule = widths.map((width) => "-".repeat(width + 2)).join("+");
  const lines = cells.map((row) =>
    lineOf(row.map(({ text, isNull }, column) => {
      const side = isNumber(columns[column]!) ? "left" : "right";
      const shown = padTo(cutToWidth(text, widths[column]!), widths[column]!, side);
      return isNull ? colors.dim(shown) : shown;
    }))
  );
  return [lineOf(heading), rule, ...lines].join("\n");
}

function formatRowByRow(
  columns: readonly Column[],
  cells: readonly (readonly Cell[])[],
  { colors, width }: RowLayout,
): string {
  const names = columns.map(({ name }) => onOneLine(name));
  const nameWidth = Math.max(0, ...names.map(widthOf));
  const ruleWidth = Math.min(width ?? MAX_RULE, MAX_RULE);
  return cells.map((row, index) => {
    const title = `-[ ${index + 1} ]`;
    const lines = row.map(({ text, isNull }, column) =>
      `${colors.bold(padTo(names[column]!, nameWidth, "right"))}${GAP}` +
      (isNull ? colors.dim(text) : text)
    );
    return [title.padEnd(ruleWidth, "-"), ...lines].join("\n");
  }).join("\n");
}

/** Lays out rows as a readable table, without a trailing newline. */
export function formatRows(
  columns: readonly Column[],
  rows: readonly Row[],
  layout: RowLayout,
): string {
  const cells = rows.map((row) => row.map(toCell));
  const wanted = columns.map(({ name }, column) =>
    cells.reduce(
      (widest, row) => Math.max(widest, widthOf(row[column]!.text)),
      Math.max(1, widthOf(onOneLine(name))),
    )
  );
  const widths = layout.width === undefined ? wanted : fitWidths(wanted, layout.width);
  if (layout.expanded === true || (widths === undefined && rows.length > 0)) {
    return formatRowByRow(columns, cells, layout);
  }
  return formatAsTable(columns, cells, widths ?? wanted, layout.colors);
}
