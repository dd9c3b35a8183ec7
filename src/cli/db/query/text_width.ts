/**
 * @module Measures text in terminal columns: wide characters take two columns, and combining
 * characters take none.
 */
import measure from "fast-string-truncated-width";
import { printable } from "../../terminal/format.ts";

const ELLIPSIS = "…";

/** Returns the number of columns that printable text takes up. */
export function widthOf(text: string): number {
  return measure(text).width;
}

/**
 * Returns the text if it fits into `width` columns. Otherwise, returns as much of it as fits,
 * followed by an ellipsis.
 */
export function cutToWidth(text: string, width: number): string {
  const { truncated, index } = measure(text, { limit: width, ellipsis: ELLIPSIS });
  if (!truncated) return text;
  // The library counts code units in runs of wide characters, so it can cut a character in half.
  const kept = text.slice(0, index).replace(/[\ud800-\udbff]$/, "");
  return `${kept}${ELLIPSIS}`;
}

/** Fits a value on one line, and escapes characters that could control the terminal. */
export function onOneLine(text: string): string {
  return printable(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** Pads text with spaces to `width` columns. */
export function padTo(text: string, width: number, side: "left" | "right"): string {
  const blanks = " ".repeat(Math.max(0, width - widthOf(text)));
  return side === "left" ? `${blanks}${text}` : `${text}${blanks}`;
}
