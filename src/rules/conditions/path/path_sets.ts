/**
 * @module Proves relations between the sets of paths that two path conditions match. Every result
 * `true` is a proof; `false` means "not proven".
 */
import { type GlobToken, literalPrefix } from "../../pattern/glob.ts";
import { GlobMatcher } from "./glob_matcher.ts";
import type { RuntimePath } from "./types.ts";

/** A path condition that is prepared for comparison. */
export interface PathSet {
  readonly kind: "all" | "exact" | "prefix" | "glob";
  /** The text that every matching path starts with; the path itself if it is exact. */
  readonly literal: string;
  readonly tokens: readonly GlobToken[];
  /** The text that every matching path ends with. */
  readonly ending: string;
  readonly matches: (path: string) => boolean;
}

function globSet(tokens: readonly GlobToken[]): PathSet {
  const literal = literalPrefix(tokens) || "/";
  const last = tokens.at(-1);
  const isOpen = last?.type === "deep" || last?.type === "splat";
  const texts = tokens.filter((token) => token.type === "text").length;
  const matcher = new GlobMatcher(tokens);
  const matches = (path: string) => matcher.matches(path);
  if (isOpen && tokens.length === 1) {
    return { kind: "all", literal: "/", tokens, ending: "", matches };
  }
  if (isOpen && tokens.length === 2 && texts === 1) {
    return { kind: literal === "/" ? "all" : "prefix", literal, tokens, ending: "", matches };
  }
  const ending = last?.type === "text" ? last.text : "";
  const isExact = tokens.length === 1 && texts === 1;
  return { kind: isExact ? "exact" : "glob", literal, tokens, ending, matches };
}

const ALL: PathSet = { kind: "all", literal: "/", tokens: [], ending: "", matches: () => true };

const prepared = new WeakMap<RuntimePath, PathSet>();

/**
 * Prepares a normalized path condition for comparison; the result is cached. Every path begins with
 * a slash.
 */
export function pathSetOf(path: RuntimePath | undefined): PathSet {
  if (path === undefined) return ALL;
  let set = prepared.get(path);
  if (set === undefined) prepared.set(path, set = prepare(path));
  return set;
}

function prepare(path: RuntimePath): PathSet {
  if (path.type === "prefix" && path.value === "/") return ALL;
  const { type, value } = path;
  if (type === "glob") return globSet(path.tokens ?? []);
  return type === "exact"
    ? { kind: type, literal: value, tokens: [], ending: value, matches: (text) => text === value }
    : {
      kind: type,
      literal: value,
      tokens: [],
      ending: "",
      matches: (text) => text.startsWith(value),
    };
}

/** The kinds of tokens whose text a token can match, including its own kind. */
const TAKES: Readonly<Record<GlobToken["type"], readonly GlobToken["type"][]>> = {
  text: ["text"],
  one: ["one"],
  any: ["any", "one", "capture"],
  capture: ["capture"],
  deep: ["deep", "splat", "any", "one", "capture"],
  splat: ["deep", "splat", "any", "one", "capture"],
};

function tokenContains(outer: GlobToken, inner: GlobToken | undefined): boolean {
  if (inner === undefined || !TAKES[outer.type].includes(inner.type)) return false;
  return outer.type !== "text" || (inner.type === "text" && inner.text === outer.text);
}

/** Returns true if every path in `inner` is proven to be in `outer`. */
export function pathContains(outer: PathSet, inner: PathSet): boolean {
  switch (outer.kind) {
    case "all":
      return true;
    case "prefix":
      return inner.literal.startsWith(outer.literal);
    case "exact":
      return inner.kind === "exact" && inner.literal === outer.literal;
    case "glob":
      if (inner.kind === "exact") return outer.matches(inner.literal);
      return inner.kind === "glob" && inner.tokens.length === outer.tokens.length &&
        outer.tokens.every((token, index) => tokenContains(token, inner.tokens[index]));
  }
}

/** Returns true if it is proven that no path is in both sets. */
export function pathsDisjoint(a: PathSet, b: PathSet): boolean {
  if (a.kind === "exact") return !b.matches(a.literal);
  if (b.kind === "exact") return !a.matches(b.literal);
  const startsDiffer = !a.literal.startsWith(b.literal) && !b.literal.startsWith(a.literal);
  const endsDiffer = !a.ending.endsWith(b.ending) && !b.ending.endsWith(a.ending);
  return startsDiffer || endsDiffer;
}
