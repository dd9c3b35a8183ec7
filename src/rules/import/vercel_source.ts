/**
 * Path patterns of `vercel.json` (path-to-regexp): `/blog/:slug`,
 * `/docs/:path*`, `/(.*)`. Other regular expressions have no equivalent.
 *
 * @module
 */
import { NoEquivalent } from "./import_result.ts";
import type { Segment } from "./path_pattern.ts";

const CAPTURE = /^:([A-Za-z_][A-Za-z0-9_]*)([*+?]?)$/;
const REST = /^(?::([A-Za-z_][A-Za-z0-9_]*))?\(\.\*\)$/;

/** The name that stands for an unnamed `(.*)`, which targets call `$1`. */
export const REST_NAME = "rest";

export interface VercelSource {
  readonly segments: readonly Segment[];
  /** The pattern also takes the path without its last segment (`:path*`). */
  readonly takesBase: boolean;
  /** A path that ends with a slash does not fit (`:path*`, `:path+`; `(.*)` takes it). */
  readonly refusesSlash: boolean;
}

interface ReadSegment {
  readonly segment: Segment;
  readonly modifier?: string;
}

function readSegment(text: string, isLast: boolean): ReadSegment {
  const rest = REST.exec(text);
  if (rest !== null && isLast) {
    return { segment: { type: "splat", name: rest[1] ?? REST_NAME } };
  }
  const [, name, modifier] = CAPTURE.exec(text) ?? [];
  if (name !== undefined && modifier === "") {
    return { segment: { type: "capture", name } };
  }
  if (name !== undefined && modifier !== undefined && modifier !== "?" && isLast) {
    return { segment: { type: "splat", name }, modifier };
  }
  if (/[():*+?]/.test(text)) {
    throw new NoEquivalent(`The pattern "${text}" has no equivalent in a glob`);
  }
  return { segment: { type: "text", text } };
}

/** Reads a `source`. */
export function readVercelSource(source: string): VercelSource {
  if (!source.startsWith("/")) throw new NoEquivalent(`The source does not begin with "/"`);
  const texts = source.slice(1).split("/");
  const read = texts.map((text, index) => readSegment(text, index === texts.length - 1));
  const modifier = read.at(-1)?.modifier;
  return {
    segments: read.map((one) => one.segment),
    takesBase: modifier === "*" && read.length > 1,
    refusesSlash: modifier !== undefined,
  };
}
