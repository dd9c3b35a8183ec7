/**
 * @module Shows the line of SQL that contains an error, with a caret under the error's position.
 */
import { onOneLine, widthOf } from "./text_width.ts";

/** A position in text. Line and column start at 1, and columns count characters. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Number of characters to show before and after the position. */
const [BEFORE, AFTER] = [60, 60];

/**
 * Converts a position from PostgreSQL. PostgreSQL's positions start at 1 and count a surrogate pair
 * as one character.
 */
export function placeOf(sql: string, position: number): Place {
  let [line, column, count] = [1, 1, 1];
  for (const character of sql) {
    if (count++ >= position) break;
    if (character === "\n") [line, column] = [line + 1, 1];
    else column++;
  }
  return { line, column };
}

/**
 * Returns two lines: the line of SQL, shortened around the position if it is long, and the caret.
 */
export function caretLines(sql: string, { line, column }: Place): readonly string[] {
  const characters = [...(sql.split("\n", line)[line - 1] ?? "").replace(/\r$/, "")];
  const start = Math.max(0, column - 1 - BEFORE);
  const end = Math.min(characters.length, column - 1 + AFTER);
  const shown = (from: number, to: number) => onOneLine(characters.slice(from, to).join(""));
  const before = `${start > 0 ? "…" : ""}${shown(start, column - 1)}`;
  const after = `${shown(column - 1, end)}${end < characters.length ? "…" : ""}`;
  const gutter = `  ${line} | `;
  return [
    `${gutter}${before}${after}`,
    `${" ".repeat(gutter.length - 2)}| ${" ".repeat(widthOf(before))}^`,
  ];
}
