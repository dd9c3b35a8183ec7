/** @module Matches many patterns against one path, in linear time (re2js `RE2Set`). */
import { RE2Set } from "re2js";
import { tokenizePattern } from "./tokens.ts";

interface PatternSet {
  /** Returns the positions of the matching patterns in ascending order. */
  match(path: string): readonly number[];
}

/**
 * Maximum memory for an engine's states, in bytes. The memory is allocated on demand. When the
 * memory is full, the engine restarts, which is slow. Each state of an unanchored engine contains
 * the start of every pattern. For the paths of a whole site, 200 unanchored patterns need 10 MiB,
 * and 200 anchored patterns need 3 MiB.
 */
const ANCHORED_MEMORY = 8 * 1024 * 1024;
const FLOATING_MEMORY = 16 * 1024 * 1024;

const startsWithSlash = (path: string): boolean => path.charCodeAt(0) === 0x2f;

/** Patterns that match every path, with tests that exactly follow RE2's semantics. */
const CATCH_ALL: ReadonlyMap<string, (path: string) => boolean> = new Map([
  [".*", () => true],
  ["(.*)", () => true],
  ["^.*", () => true],
  ["^/", startsWithSlash],
  ["^/.*", startsWithSlash],
  ["^/(.*)", startsWithSlash],
  ["^/.*$", (path) => startsWithSlash(path) && !path.includes("\n")],
  ["^/(.*)$", (path) => startsWithSlash(path) && !path.includes("\n")],
  ["^.*$", (path) => !path.includes("\n")],
  ["^(.*)$", (path) => !path.includes("\n")],
]);

/**
 * Returns an exact test for a pattern that matches every path, or `undefined` for any other
 * pattern.
 */
export function catchAllTest(pattern: string): ((path: string) => boolean) | undefined {
  return CATCH_ALL.get(pattern);
}

/**
 * Returns true if a pattern can match only at the start of the text. Such a pattern begins with
 * `^`, the `^` applies to all alternatives, and no flag changes its meaning.
 */
function isAnchored(pattern: string): boolean {
  const tokens = tokenizePattern(pattern);
  if (tokens[0]?.text !== "^" || tokens[1]?.kind === "quantifier") return false;
  let depth = 0;
  for (const { kind, text } of tokens) {
    if (kind === "open") depth++;
    else if (kind === "close") depth--;
    else if (text === "|" && depth === 0) return false;
  }
  return true;
}

interface Part {
  readonly set: RE2Set;
  /** For each pattern in this part, its position in the full list, in ascending order. */
  readonly positions: readonly number[];
}

function createPart(patterns: readonly string[], positions: readonly number[], anchor: number) {
  const memory = anchor === RE2Set.UNANCHORED ? FLOATING_MEMORY : ANCHORED_MEMORY;
  const set = new RE2Set(anchor, 0, memory);
  for (const position of positions) set.add(patterns[position]!);
  set.compile();
  return { set, positions };
}

function matchPart({ set, positions }: Part, path: string): number[] {
  const hits = set.match(path);
  for (let at = 0; at < hits.length; at++) hits[at] = positions[hits[at]!]!;
  return hits;
}

/**
 * Compiles patterns that passed validation. Patterns that begin with `^` run in a separate engine,
 * which stops at the first character at which none of them can match anymore.
 *
 * @throws {Error} if a pattern does not compile
 */
export function createPatternSet(patterns: readonly string[]): PatternSet {
  const anchored: number[] = [];
  const floating: number[] = [];
  for (const [position, pattern] of patterns.entries()) {
    (isAnchored(pattern) ? anchored : floating).push(position);
  }
  const parts: Part[] = [];
  if (anchored.length > 0) parts.push(createPart(patterns, anchored, RE2Set.ANCHOR_START));
  if (floating.length > 0) parts.push(createPart(patterns, floating, RE2Set.UNANCHORED));
  const [first, second] = parts;
  if (first === undefined) return { match: () => [] };
  if (second === undefined) return { match: (path) => matchPart(first, path) };
  return {
    match: (path) => {
      const hits = matchPart(first, path);
      const more = matchPart(second, path);
      if (more.length === 0) return hits;
      return hits.length === 0 ? more : [...hits, ...more].sort((left, right) => left - right);
    },
  };
}
