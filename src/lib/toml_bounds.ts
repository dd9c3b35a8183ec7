/**
 * @module Checks the limits of TOML text before it is parsed, because the parser takes quadratic
 * time.
 */
import type { Position } from "./diagnostic.ts";

/** The position where text exceeds a limit. */
export interface TomlExcess {
  readonly what: "nesting" | "key" | "values";
  readonly position: Position;
}

/**
 * Maximum number of values in a document, counted by their separators. No legitimate file of 1 MiB
 * contains more.
 */
export const MAX_TOML_VALUES = 200_000;

/** Tokens that a scan skips: comments and strings, with the long forms first. */
const SKIPPED =
  /#[^\n]*|"""(?:[^\\"]|\\[^]|"(?!""))*(?:"{3,5}|$)|'''(?:[^']|'(?!''))*(?:'{3,5}|$)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?/y;

function positionOf(source: string, offset: number): Position {
  const line = source.slice(0, offset).split("\n").length;
  return { line, column: offset - source.lastIndexOf("\n", offset - 1) };
}

/**
 * Finds the first position where arrays and inline tables nest deeper than `maxDepth`, where a
 * dotted key has more than `maxDepth` parts, or where there are too many values. Whether the text
 * is TOML at all is left to the parser.
 */
export function findTomlExcess(source: string, maxDepth: number): TomlExcess | undefined {
  let depth = 0;
  let dots = 0;
  let values = 0;
  for (let at = 0; at < source.length; at++) {
    switch (source[at]) {
      case "#":
      case '"':
      case "'":
        SKIPPED.lastIndex = at;
        at += Math.max(1, SKIPPED.exec(source)?.[0].length ?? 1) - 1;
        break;
      case "[":
      case "{":
        dots = 0;
        // The two brackets of a table's header do not count as nesting.
        if (++depth > maxDepth + 2) return { what: "nesting", position: positionOf(source, at) };
        break;
      case "]":
      case "}":
        dots = 0;
        depth = Math.max(0, depth - 1);
        break;
      case ".":
        if (++dots >= maxDepth) return { what: "key", position: positionOf(source, at) };
        break;
      case "=":
      case ",":
        dots = 0;
        if (++values > MAX_TOML_VALUES) return { what: "values", position: positionOf(source, at) };
        break;
      case "\n":
        dots = 0;
    }
  }
  return undefined;
}
