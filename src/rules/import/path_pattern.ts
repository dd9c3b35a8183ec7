/**
 * Path patterns of other platforms (`/news/:slug`, `/assets/*`) as path
 * conditions, and their placeholders in targets as references.
 *
 * @module
 */
import type { PathMatch } from "../rule_set/mod.ts";
import { NoEquivalent } from "./import_result.ts";

/** One segment of a foreign pattern. */
export type Segment =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "capture"; readonly name: string }
  | { readonly type: "splat"; readonly name: string };

/** The names of the captures of a pattern, in order. */
export function namesOf(segments: readonly Segment[]): string[] {
  return segments.flatMap((segment) => segment.type === "text" ? [] : [segment.name]);
}

const PLACEHOLDER = /^:([A-Za-z_][A-Za-z0-9_]*)$/;

function readSegment(text: string, isLast: boolean): Segment {
  if (text === "*") {
    if (!isLast) {
      throw new NoEquivalent("A * inside the path captures nothing that a target can use");
    }
    return { type: "splat", name: "splat" };
  }
  if (text.includes("*")) {
    throw new NoEquivalent(`A * stands for the rest of a path: it is a part of "${text}"`);
  }
  const name = PLACEHOLDER.exec(text)?.[1];
  return name === undefined ? { type: "text", text } : { type: "capture", name };
}

/** Reads a pattern with `:name` for a segment and a final `*` for the rest. */
export function readPattern(pattern: string): Segment[] {
  if (!pattern.startsWith("/")) throw new NoEquivalent(`The path does not begin with "/"`);
  const texts = pattern.slice(1).split("/");
  return texts.map((text, index) => readSegment(text, index === texts.length - 1));
}

const escapeGlob = (text: string): string => text.replace(/[*?{}\\]/g, "\\$&");

function writeSegment(segment: Segment): string {
  switch (segment.type) {
    case "text":
      return escapeGlob(segment.text);
    case "capture":
      return `{${segment.name}}`;
    case "splat":
      return `{${segment.name}...}`;
  }
}

/** The plainest path condition that says the same; `used` are the captures that are referred to. */
export function toPathMatch(segments: readonly Segment[], used: ReadonlySet<string>): PathMatch {
  const last = segments.at(-1);
  const texts = segments.map((segment) => segment.type === "text" ? segment.text : undefined);
  if (!texts.includes(undefined)) return { type: "exact", value: `/${texts.join("/")}` };
  const isPrefix = last?.type === "splat" && !used.has(last.name) &&
    !texts.slice(0, -1).includes(undefined);
  if (isPrefix) return { type: "prefix", value: `/${[...texts.slice(0, -1), ""].join("/")}` };
  return { type: "glob", value: `/${segments.map(writeSegment).join("/")}` };
}

/** The pattern without its final splat; `undefined` where it has none or nothing else. */
export function withoutSplat(segments: readonly Segment[]): Segment[] | undefined {
  return segments.at(-1)?.type === "splat" && segments.length > 1
    ? segments.slice(0, -1)
    : undefined;
}

export interface Rewritten {
  readonly text: string;
  /** The captures that the text refers to. */
  readonly used: ReadonlySet<string>;
}

/**
 * Writes `:name` (also `:name*` and `:name+`) as `{name}` where the pattern has
 * such a capture. A brace of the text becomes `literalBrace` of it, so that it is
 * no reference.
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

/** Braces of a URL, which may stand there only percent-encoded. */
export function encodeBraces(text: string): string {
  return text.replaceAll("{", "%7B").replaceAll("}", "%7D");
}

/** Braces of a header value that would be a reference, doubled. */
export function doubleBraces(text: string): string {
  return text.replace(/\{([A-Za-z0-9_-]{1,64})\}/g, "{{$1}}");
}
