/** @module Edits an array that spans several lines, and preserves comments. */
import { type AST, getStaticTOMLValue } from "toml-eslint-parser";
import {
  indentation,
  lineEnd,
  lineEnding,
  nextLine,
  type Splice,
  writeValue,
} from "./toml_text.ts";

/** Appends items after the last element, on separate lines. */
function appendItems(source: string, array: AST.TOMLArray, items: readonly string[]): Splice[] {
  const last = array.elements.at(-1)!;
  const end = last.range[1];
  const comma = /^[ \t]*,/.exec(source.slice(end))?.[0].length ?? 0;
  const closing = lineEnd(source, end);
  const at = closing < array.range[1] ? closing : end + comma;
  const indent = lineEnding(source) + indentation(source, last.range[0]);
  const lines = items.map((item) => indent + writeValue(item)).join(",");
  const text = comma === 0 ? lines : `${lines},`;
  if (comma > 0) return [{ start: at, end: at, text }];
  return at === end
    ? [{ start: end, end, text: `,${text}` }]
    : [{ start: at, end: at, text }, { start: end, end, text: "," }];
}

/** Removes the elements from index `kept` onward. Keeps the comments of the remaining elements. */
function dropItems(source: string, { elements, range }: AST.TOMLArray, kept: number): Splice {
  const start = elements[kept - 1]!.range[1];
  const end = elements.at(-1)!.range[1];
  const isOnSameLine = elements[kept]!.range[0] < lineEnd(source, start);
  if (isOnSameLine) return { start, end, text: "" };
  const comma = /^[ \t]*,/.exec(source.slice(end))?.[0].length ?? 0;
  const isClosedOnLine = range[1] <= lineEnd(source, end);
  return {
    start: nextLine(source, start),
    end: isClosedOnLine ? end + comma : nextLine(source, end),
    text: "",
  };
}

/**
 * Returns the splices that turn an array into `items`. An array on a single line is rewritten. In
 * an array that spans several lines, the remaining elements keep their text and comments.
 */
export function spliceArray(
  source: string,
  array: AST.TOMLArray,
  items: readonly string[],
): readonly Splice[] {
  const { elements, range: [start, end] } = array;
  const last = elements.at(-1);
  const isOneLine = !source.slice(start, end).includes("\n");
  if (last === undefined || items.length === 0 || isOneLine) {
    return [{ start, end, text: writeValue(items) }];
  }
  const kept = Math.min(elements.length, items.length);
  const splices: Splice[] = [];
  for (const [index, element] of elements.slice(0, kept).entries()) {
    if (getStaticTOMLValue(element) === items[index]) continue;
    const [start, end] = element.range;
    splices.push({ start, end, text: writeValue(items[index]!) });
  }
  if (kept < elements.length) {
    splices.push(dropItems(source, array, kept));
  } else if (items.length > kept) {
    splices.push(...appendItems(source, array, items.slice(kept)));
  }
  return splices;
}
