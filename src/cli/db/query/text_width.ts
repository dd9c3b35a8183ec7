/**
 * Text measured in terminal columns: wide characters take two, combining ones none.
 *
 * @module
 */
import measure from "fast-string-truncated-width";
import { printable } from "../../terminal/format.ts";

const ELLIPSIS = "…";

/** Columns that a printable text takes. */
export function widthOf(text: string): number {
  return measure(text).width;
}

/** The text where it fits into `width` columns, else as much of it as does, and an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  const { truncated, index } = measure(text, { limit: width, ellipsis: ELLIPSIS });
  if (!truncated) return text;
  // The library counts code points of blocks of wide characters, and may cut one in half.
  const kept = text.slice(0, index).replace(/[\ud800-\udbff]$/, "");
  return `${kept}${ELLIPSIS}`;
}

/** A value on one line, with all that could control the terminal made visible. */
export function onOneLine(text: string): string {
  return printable(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** Adds blanks up to `width` columns. */
export function padTo(text: string, width: number, side: "left" | "right"): string {
  const blanks = " ".repeat(Math.max(0, width - widthOf(text)));
  return side === "left" ? `${blanks}${text}` : `${text}${blanks}`;
}
