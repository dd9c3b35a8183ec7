/**
 * @module The `path` condition: compares the normalized path exactly, by prefix, or with a glob.
 */
import * as z from "zod";
import { type GlobToken, parseGlob } from "../pattern/glob.ts";
import { canonicalPathText } from "../request/path.ts";
import { choice, text } from "../schema_parts.ts";
import type { ConditionType } from "./condition_type.ts";
import { GlobMatcher } from "./path/glob_matcher.ts";
import { pathContains, pathsDisjoint, pathSetOf } from "./path/path_sets.ts";
import type { PathMatch, RuntimePath } from "./path/types.ts";

/** Fields of an authored path. */
export const pathShape = {
  type: choice(["exact", "prefix", "glob"]).describe(
    "exact: the whole path; prefix: a plain string prefix; glob: a pattern with captures",
  ),
  value: text().describe("The path, prefix or glob pattern; begins with /"),
};

/** A path condition that is ready to match paths. */
export type PathMatcher =
  | { readonly type: "exact" | "prefix"; readonly text: string }
  | { readonly type: "glob"; readonly glob: GlobMatcher; readonly suffix: string };

function prepare(path: RuntimePath): PathMatcher {
  if (path.type !== "glob") return { type: path.type, text: canonicalPathText(path.value) };
  const parsed = path.tokens === undefined ? parseGlob(path.value) : { tokens: path.tokens };
  if ("problems" in parsed) throw new TypeError(`Cannot compile glob "${path.value}"`);
  const last = parsed.tokens.at(-1);
  const suffix = last?.type === "text" && parsed.tokens.length > 1 ? last.text : "";
  return { type: "glob", glob: new GlobMatcher(parsed.tokens), suffix };
}

const prepared = new WeakMap<RuntimePath, PathMatcher>();

/**
 * Prepares a path for matching; the result is cached.
 *
 * @throws {TypeError} for a glob that validation would have rejected.
 */
export function compilePath(path: RuntimePath): PathMatcher {
  let matcher = prepared.get(path);
  if (matcher === undefined) prepared.set(path, matcher = prepare(path));
  return matcher;
}

/** Returns whether a normalized path matches. */
export function pathHolds(matcher: PathMatcher, path: string): boolean {
  if (matcher.type === "glob") {
    return path.endsWith(matcher.suffix) && matcher.glob.matches(path);
  }
  return matcher.type === "exact" ? path === matcher.text : path.startsWith(matcher.text);
}

/** Sample text for a wildcard in a path; no rule is likely to name it. */
export const ANY_TEXT = "svc-sample";

function sampleOf(token: GlobToken): string {
  if (token.type === "text") return token.text;
  return token.type === "one" ? "w" : ANY_TEXT;
}

export const path: ConditionType<PathMatch, RuntimePath> = {
  schema: z.strictObject(pathShape, "Use a table with type and value"),
  cost: 3,
  isClientBound: false,
  normalize({ type, value }) {
    if (type !== "glob") return { type, value: canonicalPathText(value) };
    const parsed = parseGlob(value);
    return { type, value, ...("tokens" in parsed ? { tokens: parsed.tokens } : {}) };
  },
  compile(value) {
    const matcher = compilePath(value);
    return (facts) => pathHolds(matcher, facts.path);
  },
  explain: ({ type, value }, facts) => ({ wanted: `${type} ${value}`, seen: facts.path }),
  sample: ({ type, value, tokens = [] }) => ({
    path: type === "glob" ? tokens.map(sampleOf).join("") : value,
  }),
  contains: (outer, inner) => pathContains(pathSetOf(outer), pathSetOf(inner)),
  disjoint: (a, b) => pathsDisjoint(pathSetOf(a), pathSetOf(b)),
};
