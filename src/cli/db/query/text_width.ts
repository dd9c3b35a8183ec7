/** @module Text measured in terminal columns: wide characters take two, combining ones none. */
import measure from "fast-string-truncated-width";
import { printable } from "../../terminal/format.ts";

const ELLIPSIS = "…";

/** Number of columns of a printable text. */
export function widthOf(text: string): number {
  return measure(text).width;
}

/** The text if it fits into `width` columns, otherwise as much of it as fits and an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  const { truncated, index } = measure(text, { limit: width, ellipsis: ELLIPSIS });
  if (!truncated) return text;
  // The library counts code points of blocks of wide characters, and may cut one in half.
  const kept = text.slice(0, index).replace(/[\ud800-\udbff]$/, "");
  return `${kept}${ELLIPSIS}`;
}

/** Fits a value on one line, and escapes characters that could control the terminal. */
export function onOneLine(text: string): string {
  return printable(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** Adds blanks up to `width` columns. */
export function padTo(text: string, width: number, side: "left" | "right"): string {
  const blanks = " ".repeat(Math.max(0, width - widthOf(text)));
  return side === "left" ? `${blanks}${text}` : `${text}${blanks}`;
}
