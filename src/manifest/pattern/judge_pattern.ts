/** @module Checks whether a route pattern is allowed, and suggests an alternative. */
import { MAX_PATTERN_COST } from "../limits.ts";
import { judgeWithRe2 } from "./_re2_wasm.ts";
import { describeUnsupported } from "./unsupported.ts";
import { RE2Set } from "re2js";

type CostResult =
  | { readonly ok: true; readonly cost: number }
  | { readonly ok: false; readonly error: string };

/** Cost of parsing a Unicode class such as `\pL`, in addition to the cost of the parsed class. */
const UNICODE_CLASS_COST = 100;

/**
 * Compiles a pattern with re2js. Counts the steps and character ranges of the compiled program, and
 * the Unicode classes in the source. An error contains the engine's message.
 */
function patternCost(pattern: string): CostResult {
  try {
    const set = new RE2Set();
    set.add(pattern);
    set.compile();
    const classes = pattern.match(/\\[pP]/g)?.length ?? 0;
    let cost = set.prog.numInst() + classes * UNICODE_CLASS_COST;
    for (let step = 0; step < set.prog.numInst(); step++) {
      cost += set.prog.getInst(step).runes.length >> 1;
    }
    return { ok: true, cost };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, error: error.message.replace(/^error parsing regexp: /, "") };
  }
}

interface PatternVerdict {
  /** The problems, one per line. Empty for a valid pattern. */
  readonly messages: readonly string[];
  /** Number of steps and character ranges of the compiled pattern, or 0 for an invalid pattern. */
  readonly cost: number;
}

/** Replacements for escapes from other engines. */
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
 * A literal path with wildcard segments, as in generated manifests. Every engine accepts such
 * patterns, so they do not need RE2, which takes 0.7 MB of WebAssembly.
 */
export const PLAIN_PATTERN = /^\^(?:[A-Za-z0-9\/_-]|\\\.|\.\*|\[\^\/\]\+)*\$?$/;

function reject(error: string, pattern: string): PatternVerdict {
  const hint = error.startsWith("invalid repeat count")
    ? "; write the smaller count first; nested counts multiply to at most 1000"
    : ESCAPE_HINTS.find(([form]) => form.test(pattern))?.[1] ?? "";
  return { messages: [`Cannot compile the pattern: ${error}${hint}`], cost: 0 };
}

/**
 * Checks a pattern with re2js, which matches requests, and with RE2 itself, which defines the
 * syntax. Both must accept the pattern, and its cost must not exceed `MAX_PATTERN_COST`. Time and
 * memory are bounded for patterns of at most `MAX_PATTERN_LENGTH` characters.
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
