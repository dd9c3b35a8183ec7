/**
 * @module Converts destinations in `vercel.json`: their references, and the queries of rewrites.
 */
import { NoEquivalent } from "./import_result.ts";
import {
  checkReferences,
  encodeBraces,
  namesOf,
  rewriteReferences,
  type Segment,
} from "./path_pattern.ts";

const BRACED = /\{:([A-Za-z_][A-Za-z0-9_]*)\}/g;
const PARAMETERS = /(?<!\\):([A-Za-z_][A-Za-z0-9_]*)/g;

const parametersOf = (text: string): string[] =>
  [...text.matchAll(PARAMETERS)].map(([, name = ""]) => name);

/**
 * Returns the destination with the unused parameters of the source. If the destination's path, host
 * and fragment use no parameters, Vercel adds all parameters to the query of a rewrite.
 */
export function withUnusedParameters(source: string, destination: string): string {
  const wanted = parametersOf(source);
  const [, beforeQuery = "", query = "", fragment = ""] =
    /^([^?#]*)(?:\?([^#]*))?(#.*)?$/.exec(destination) ?? [];
  const used = parametersOf(`${beforeQuery.replaceAll("{", "")}${fragment}`);
  if (wanted.length === 0 || wanted.some((name) => used.includes(name))) return destination;
  const present = new URLSearchParams(query);
  const added = wanted.filter((name) => !present.has(name)).map((name) => `${name}=:${name}`);
  const whole = [...query === "" ? [] : [query], ...added].join("&");
  return `${beforeQuery}${whole === "" ? "" : `?${whole}`}${fragment}`;
}

/** Replaces `$1` with the name of the first group, and so on. Rejects unnamed groups. */
export function nameGroups(text: string, groups: readonly string[]): string {
  return text.replace(/\$(\d)/g, (found, digit: string) => {
    const name = groups[Number(digit) - 1];
    if (name === undefined) return found;
    if (name === "") {
      throw new NoEquivalent(`The target uses "${found}", but a glob cannot capture it`);
    }
    return `:${name}`;
  });
}

/** Matches a reference and the slash before it, which is part of the reference. */
const reference = (name: string): RegExp => new RegExp(`/?:${name}(?![A-Za-z0-9_])[*+?]?`, "g");

/** Returns the text without empty parameters and their slashes. */
export function withoutParameters(text: string, names: readonly string[]): string {
  return names.reduce((rest, name) => rest.replace(reference(name), ""), text);
}

/** Reads the destination for a path; `all` contains the captures of the whole source. */
export function readDestination(
  destination: string,
  segments: readonly Segment[],
  { all, groups }: { readonly all: readonly string[]; readonly groups: readonly string[] },
) {
  const named = nameGroups(destination.replace(BRACED, ":$1"), groups);
  if (/[{}]/.test(named)) {
    throw new NoEquivalent("The destination has a group in braces, which has no equivalent");
  }
  const names = namesOf(segments);
  const rest = withoutParameters(named, all.filter((name) => !names.includes(name)));
  const plain = rest.replace(/:([A-Za-z_][A-Za-z0-9_]*)[*+]/g, ":$1");
  checkReferences(plain, segments);
  const { text, used } = rewriteReferences(plain, names, encodeBraces);
  return { target: /^(?:$|[?#])/.test(text) ? `/${text}` : text, used };
}
