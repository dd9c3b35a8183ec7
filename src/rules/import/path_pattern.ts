/**
 * @module Converts path patterns from other platforms (`/news/:slug`, `/assets/*`) into conditions.
 */
import type { PathMatch } from "../rule_set/types.ts";
import { NoEquivalent } from "./import_result.ts";

/** One segment of another host's pattern. */
export type Segment =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "capture"; readonly name: string }
  | { readonly type: "splat"; readonly name: string }
  /**
   * Wildcards next to text. The other platform names the text that they match, but globs cannot
   * capture them.
   */
  | { readonly type: "pattern"; readonly glob: string; readonly names: readonly string[] };

/** Returns the names of a pattern's captures, in order. */
export function namesOf(segments: readonly Segment[]): string[] {
  return segments.flatMap((segment) =>
    segment.type === "capture" || segment.type === "splat" ? [segment.name] : []
  );
}

/** How a host interprets wildcards that are not a whole segment at the end of a path. */
type PatternDialect = "netlify" | "netlify-headers" | "cloudflare";

const SPLAT = "splat";
const PLACEHOLDER = /^:([A-Za-z_][A-Za-z0-9_]*)$/;
const PLACEHOLDERS = /:([A-Za-z_][A-Za-z0-9_]*)/g;
const WILDCARDS = /\*|:[A-Za-z_][A-Za-z0-9_]*/g;
/** A glob's wildcards: for any path, and for any text in a segment. */
const ANY_PATH = "**";
const ANY_TEXT = "?*";

function readWildcards(text: string, dialect: PatternDialect): Segment {
  const names = [...text.matchAll(PLACEHOLDERS)].map(([, name = ""]) => name);
  const hasStar = text.includes("*");
  if (hasStar && dialect === "netlify") {
    throw new NoEquivalent(
      text === "*"
        ? "A target cannot use a * inside the path"
        : `A * matches the rest of a path, but it is part of "${text}"`,
    );
  }
  if (names.length > 0 && dialect !== "cloudflare") {
    throw new NoEquivalent(`A placeholder matches a whole segment, but it is part of "${text}"`);
  }
  // Between two slashes, Netlify also matches an empty segment; Cloudflare does not.
  const star = text === "*" && dialect === "cloudflare" ? `?${ANY_PATH}` : ANY_PATH;
  let at = 0;
  let glob = "";
  for (const found of text.matchAll(WILDCARDS)) {
    glob += escapeGlob(text.slice(at, found.index)) + (found[0] === "*" ? star : ANY_TEXT);
    at = found.index + found[0].length;
  }
  glob += escapeGlob(text.slice(at));
  return { type: "pattern", glob, names: hasStar ? [...names, SPLAT] : names };
}

function readSegment(text: string, isLast: boolean, dialect: PatternDialect): Segment {
  if (text === "*" && isLast) return { type: "splat", name: SPLAT };
  const name = PLACEHOLDER.exec(text)?.[1];
  if (name !== undefined) return { type: "capture", name };
  return text.search(WILDCARDS) < 0 ? { type: "text", text } : readWildcards(text, dialect);
}

/** Reads a pattern with `:name` for a segment and `*` for the rest. */
export function readPattern(pattern: string, dialect: PatternDialect): Segment[] {
  if (!pattern.startsWith("/")) throw new NoEquivalent(`The path does not begin with "/"`);
  const mark = /[?#]/.exec(pattern)?.[0];
  if (mark !== undefined) {
    throw new NoEquivalent(
      mark === "#"
        ? "Browsers never send the part after #, so no request matches"
        : "A path never matches a query: write a rule with condition.query",
    );
  }
  if (dialect === "cloudflare" && pattern.split("*").length > 2) {
    throw new NoEquivalent("Cloudflare ignores a path with more than one *");
  }
  const texts = pattern.slice(1).split("/");
  return texts.map((text, index) => readSegment(text, index === texts.length - 1, dialect));
}

/**
 * Returns segments that match the same paths without captures, because `any` cannot contain
 * captures.
 */
export function withoutCaptures(segments: readonly Segment[]): Segment[] {
  // A splat after plain text becomes a prefix.
  if (segments.slice(0, -1).every(({ type }) => type === "text")) {
    const last = segments.at(-1);
    if (last?.type !== "capture") return [...segments];
  }
  return segments.map((segment) => {
    if (segment.type !== "capture" && segment.type !== "splat") return segment;
    const glob = segment.type === "capture" ? ANY_TEXT : ANY_PATH;
    return { type: "pattern", glob, names: [segment.name] };
  });
}

/** Converts a string to a glob that matches only this string. */
export const escapeGlob = (text: string): string => text.replace(/[*?{}\\]/g, "\\$&");

function writeSegment(segment: Segment): string {
  switch (segment.type) {
    case "text":
      return escapeGlob(segment.text);
    case "capture":
      return `{${segment.name}}`;
    case "splat":
      return `{${segment.name}...}`;
    case "pattern":
      return segment.glob;
  }
}

/** Returns the simplest equivalent path condition. `used` lists the referenced captures. */
export function toPathMatch(segments: readonly Segment[], used: ReadonlySet<string>): PathMatch {
  const last = segments.at(-1);
  const texts = segments.map((segment) => segment.type === "text" ? segment.text : undefined);
  if (!texts.includes(undefined)) return { type: "exact", value: `/${texts.join("/")}` };
  const isPrefix = last?.type === "splat" && !used.has(last.name) &&
    !texts.slice(0, -1).includes(undefined);
  if (isPrefix) return { type: "prefix", value: `/${[...texts.slice(0, -1), ""].join("/")}` };
  return { type: "glob", value: `/${segments.map(writeSegment).join("/")}` };
}

/**
 * Returns the pattern without its final splat, or `undefined` if the pattern has no splat or is
 * only a splat.
 */
export function withoutSplat(segments: readonly Segment[]): Segment[] | undefined {
  return segments.at(-1)?.type === "splat" && segments.length > 1
    ? segments.slice(0, -1)
    : undefined;
}

interface Rewritten {
  readonly text: string;
  /** The captures that the text refers to. */
  readonly used: ReadonlySet<string>;
}

/**
 * Converts `:name` (also `:name*` and `:name+`) to `{name}` if the pattern has such a capture.
 * Braces in the text become `literalBrace`, so they are not read as references.
 */
export function rewriteReferences(
  text: string,
  names: readonly string[],
  literalBrace: (text: string) => string,
): Rewritten {
  const used = new Set<string>();
  const rewritten = literalBrace(text).replace(
    /:([A-Za-z_][A-Za-z0-9_]*)[*+]?/g,
    (found, name: string) => {
      if (!names.includes(name)) return found;
      used.add(name);
      return `{${name}}`;
    },
  );
  return { text: rewritten, used };
}

/** Rejects a target that refers to captures that the path lacks. */
export function checkReferences(target: string, segments: readonly Segment[]): void {
  const names = namesOf(segments);
  const hidden = segments.flatMap((one) => one.type === "pattern" ? one.names : []);
  const afterHost = target.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*/, "");
  for (const [found, name = ""] of afterHost.matchAll(PLACEHOLDERS)) {
    if (names.includes(name)) continue;
    throw new NoEquivalent(
      hidden.includes(name)
        ? `The target uses "${found}", but a glob cannot capture part of a segment`
        : `The target uses "${found}", but the path does not capture it`,
    );
  }
}

/** Percent-encodes the braces in a URL. */
export function encodeBraces(text: string): string {
  return text.replaceAll("{", "%7B").replaceAll("}", "%7D");
}

/** Doubles the braces in a header value that would otherwise mark a reference. */
export function doubleBraces(text: string): string {
  return text.replace(/\{([A-Za-z0-9_-]{1,64})\}/g, "{{$1}}");
}
