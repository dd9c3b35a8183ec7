/**
 * @module Path patterns in `vercel.json` (path-to-regexp): `/blog/:slug`, `/docs/:path*`, `/(.*)`,
 * `/((?!api/).*)`. Other regular expressions have no equivalent.
 */
import type { PathMatch } from "../rule_set/types.ts";
import { NoEquivalent } from "./import_result.ts";
import { escapeGlob, type Segment } from "./path_pattern.ts";

const CAPTURE = /^(?::([A-Za-z_][A-Za-z0-9_]*)|\{:([A-Za-z_][A-Za-z0-9_]*)\})([*+?]?)$/;
const REST = /^(?::([A-Za-z_][A-Za-z0-9_]*))?\(\.\*\)$/;
/** Matches `/((?!api/).*)`: captures the folder, the name, and the excluded prefix. */
const ALL_BUT = /^(\/(?:[^()]*\/)?)(?::([A-Za-z_][A-Za-z0-9_]*))?\(\(\?!([^()]*)\)\.\*\)$/;

/** The name of an unnamed `(.*)`, which targets reference as `$1`. */
const REST_NAME = "rest";

export interface VercelSource {
  readonly segments: readonly Segment[];
  /**
   * The names of the pattern's groups in order, which targets can also reference as `$1`, `$2`, …
   */
  readonly groups: readonly string[];
  /** Whether the pattern also matches the path without its last segment (`:path*`). */
  readonly takesBase: boolean;
  /**
   * Whether a path with a trailing slash does not match. True for `:path*` and `:path+`, but not
   * for `(.*)`.
   */
  readonly refusesSlash: boolean;
  /** Paths that are excluded although their segments match. */
  readonly excluded: PathMatch | undefined;
}

interface ReadSegment {
  readonly segment: Segment;
  readonly modifier?: string;
  readonly groups: readonly string[];
}

/**
 * Parts of a segment: an escaped character, a parameter, any text, or syntax without an equivalent.
 */
const PARTS = /\\(.)|:([A-Za-z_][A-Za-z0-9_]*)(?![A-Za-z0-9_(*+?])|(\(\.\*\))|([():*+?{}\\])/g;

function noEquivalent(text: string): NoEquivalent {
  return new NoEquivalent(`The pattern "${text}" has no equivalent in a glob`);
}

/** Reads text with escaped characters, parameters and adjacent `(.*)`. */
function readParts(text: string): ReadSegment {
  const names: string[] = [];
  const groups: string[] = [];
  let [glob, plain, at] = ["", "", 0];
  const literal = (part: string) => {
    plain += part;
    glob += escapeGlob(part);
  };
  for (const found of text.matchAll(PARTS)) {
    const [whole, escaped, name, rest] = found;
    literal(text.slice(at, found.index));
    at = found.index + whole.length;
    if (escaped !== undefined) literal(escaped);
    else if (name !== undefined) {
      names.push(name);
      groups.push(name);
      glob += "?*";
    } else if (rest !== undefined) {
      groups.push("");
      // A whole segment must not match an empty string, because slashes are merged.
      glob += text === rest ? "?**" : "**";
    } else throw noEquivalent(text);
  }
  literal(text.slice(at));
  return groups.length === 0
    ? { segment: { type: "text", text: plain }, groups }
    : { segment: { type: "pattern", glob, names }, groups };
}

function readSegment(text: string, isLast: boolean): ReadSegment {
  const rest = REST.exec(text);
  if (rest !== null && isLast) {
    const name = rest[1] ?? REST_NAME;
    return { segment: { type: "splat", name }, groups: [name] };
  }
  const [, plain, braced, modifier] = CAPTURE.exec(text) ?? [];
  const name = plain ?? braced;
  if (name === undefined || modifier === undefined) return readParts(text);
  if (modifier === "") return { segment: { type: "capture", name }, groups: [name] };
  if (modifier === "?" || braced !== undefined || !isLast) throw noEquivalent(text);
  return { segment: { type: "splat", name }, modifier, groups: [name] };
}

/** Reads the text of a lookahead, which must be literal; other expressions have no equivalent. */
function readExcluded(text: string): { readonly text: string; readonly isExact: boolean } {
  if (text.includes("|")) {
    throw new NoEquivalent(
      "A condition can exclude only one path: for (?!a|b), write a rule by hand, with a rule for " +
        "each excluded path before it",
    );
  }
  const isExact = text.endsWith("$");
  const body = isExact ? text.slice(0, -1) : text;
  if (!/^(?:\\.|[A-Za-z0-9_\-/~%@,;=&!])+$/.test(body)) throw noEquivalent(`(?!${text})`);
  return { text: body.replace(/\\(.)/g, "$1"), isExact };
}

function readAllBut(source: string): VercelSource | undefined {
  const found = ALL_BUT.exec(source);
  if (found === null) return undefined;
  const [, folder = "/", name = REST_NAME, lookahead = ""] = found;
  const before = readVercelSource(folder);
  const texts = before.segments.map((one) => one.type === "text" ? one.text : undefined);
  if (texts.includes(undefined)) throw noEquivalent(source);
  const { text, isExact } = readExcluded(lookahead);
  return {
    ...before,
    segments: [...before.segments.slice(0, -1), { type: "splat", name }],
    groups: [name],
    excluded: { type: isExact ? "exact" : "prefix", value: `/${texts.join("/")}${text}` },
  };
}

export function readVercelSource(source: string): VercelSource {
  if (!source.startsWith("/")) throw new NoEquivalent(`The source does not begin with "/"`);
  const allBut = readAllBut(source);
  if (allBut !== undefined) return allBut;
  const texts = source.slice(1).split("/");
  const read = texts.map((text, index) => readSegment(text, index === texts.length - 1));
  const modifier = read.at(-1)?.modifier;
  return {
    segments: read.map((one) => one.segment),
    groups: read.flatMap((one) => one.groups),
    takesBase: modifier === "*" && read.length > 1,
    refusesSlash: modifier !== undefined,
    excluded: undefined,
  };
}
