/**
 * The line of SQL that an error is about, with a caret under the place.
 *
 * @module
 */
import { onOneLine, widthOf } from "./text_width.ts";

/** A place in a text; line and column count from 1, columns are characters. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Characters of the line that are shown before and after the place. */
const [BEFORE, AFTER] = [60, 60];

/** Converts a PostgreSQL position: characters from 1, with a surrogate pair as one. */
export function placeOf(sql: string, position: number): Place {
  let [line, column, count] = [1, 1, 1];
  for (const character of sql) {
    if (count++ >= position) break;
    if (character === "\n") [line, column] = [line + 1, 1];
    else column++;
  }
  return { line, column };
}

/** Two lines: the one of the place, shortened around it if it is long, and the caret. */
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
