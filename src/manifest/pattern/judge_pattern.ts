/**
 * Whether a route pattern may be used, and what to write instead where not.
 *
 * @module
 */
import { MAX_PATTERN_COST } from "../limits.ts";
import { judgeWithRe2 } from "./_re2_wasm.ts";
import { patternCost } from "./pattern_cost.ts";
import { describeUnsupported } from "./unsupported.ts";

export interface PatternVerdict {
  /** The problems, one line each; empty for a valid pattern. */
  readonly messages: readonly string[];
  /** Steps and character ranges of the compiled pattern; 0 for a bad one. */
  readonly cost: number;
}

/** Replacements for escapes of other engines. */
const ESCAPE_HINTS: readonly (readonly [RegExp, string])[] = [
  [/\\u[0-9A-Fa-f]{4}/, String.raw`; write \x{2026} for \u2026`],
  [/\\u\{/, String.raw`; write \x{2026} for \u{2026}`],
  [/\\Z/, String.raw`; write \z or $ for the end of the path`],
  [/\\[GK]/, ""],
  [/\\c[A-Za-z]/, String.raw`; write \x01 for \cA`],
  [/\(\?[a-z]*x/, "; remove the spaces, the comments and the x flag"],
  [/\(\?#/, "; remove the comment"],
];

/**
 * A literal path with wildcard segments, as in generated manifests: every engine accepts these, so
 * RE2, which takes 0.7 MB of WebAssembly, need not start.
 */
export const PLAIN_PATTERN = /^\^(?:[A-Za-z0-9\/_-]|\\\.|\.\*|\[\^\/\]\+)*\$?$/;

function reject(error: string, pattern: string): PatternVerdict {
  const hint = error.startsWith("invalid repeat count")
    ? "; write the smaller count first; nested counts multiply to at most 1000"
    : ESCAPE_HINTS.find(([form]) => form.test(pattern))?.[1] ?? "";
  return { messages: [`Cannot compile the pattern: ${error}${hint}`], cost: 0 };
}

/**
 * Judges a pattern by re2js, which serves it, and by RE2 itself, which
 * defines the syntax: both must accept it, and its cost must be within
 * `MAX_PATTERN_COST`. Time and memory are bounded for any text of at most
 * `MAX_PATTERN_LENGTH` characters.
 */
export function judgePattern(pattern: string): PatternVerdict {
  if (!pattern.isWellFormed()) {
    return { messages: ["Pattern is not valid Unicode: it has a lone surrogate"], cost: 0 };
  }
  const unsupported = describeUnsupported(pattern);
  if (unsupported.length > 0) return { messages: unsupported, cost: 0 };
  const result = patternCost(pattern);
  if (!result.ok) return reject(result.error, pattern);
  if (result.cost > MAX_PATTERN_COST) {
    const message = `The compiled pattern is too large: expected at most ` +
      `${MAX_PATTERN_COST} steps, found ${result.cost}; use smaller repetition counts`;
    return { messages: [message], cost: result.cost };
  }
  const error = PLAIN_PATTERN.test(pattern) ? undefined : judgeWithRe2(pattern);
  return error === undefined ? { messages: [], cost: result.cost } : reject(error, pattern);
}
