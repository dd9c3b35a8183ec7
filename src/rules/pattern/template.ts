/**
 * @module Strings with references to captures: the target of a redirect or rewrite, and the value
 * of a header. `{name}` is a reference, `{{name}}` the literal text `{name}`; any other brace is
 * literal, so a header value can contain JSON.
 *
 * A capture is a part of the normalized path and therefore visible ASCII: `pchar`, `%XX` and, in a
 * splat, `/`. It is inserted unchanged into a path, fragment or header value. In a query,
 * everything except unreserved characters, `/` and `%XX` is encoded, so decoding the query gives
 * exactly the client's text. A capture cannot introduce line breaks or hostnames.
 */
import type { PatternProblem } from "./glob.ts";

export type TemplatePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reference"; readonly name: string; readonly offset: number };

type TemplateResult =
  | { readonly parts: readonly TemplatePart[] }
  | { readonly problems: readonly PatternProblem[] };

const BRACES = /\{\{([A-Za-z0-9_-]{1,64})\}\}|\{([A-Za-z0-9_-]{1,64})(\.\.\.)?\}/g;

/**
 * Parses a target or header value. The only possible problem is a splat that is referenced as
 * `{name...}`. Takes time linear in the length of the value.
 */
export function parseTemplate(value: string): TemplateResult {
  const parts: TemplatePart[] = [];
  const problems: PatternProblem[] = [];
  let text = "";
  let end = 0;
  for (const found of value.matchAll(BRACES)) {
    text += value.slice(end, found.index);
    end = found.index + found[0].length;
    const name = found[2];
    if (name === undefined) {
      text += `{${found[1]}}`;
    } else if (found[3] !== undefined) {
      const message = `Reference the splat as "{${name}}": it is "${found[0]}"`;
      problems.push({ message, hint: "Only the glob has the dots", offset: found.index });
    } else {
      if (text !== "") parts.push({ type: "text", text });
      text = "";
      parts.push({ type: "reference", name, offset: found.index });
    }
  }
  text += value.slice(end);
  if (text !== "") parts.push({ type: "text", text });
  return problems.length > 0 ? { problems } : { parts };
}

/** A capture that a template refers to, and the position of the reference. */
interface TemplateReference {
  readonly name: string;
  readonly offset: number;
}

/** Lists the references of a parsed template in order, including repeated ones. */
export function templateReferences(parts: readonly TemplatePart[]): readonly TemplateReference[] {
  return parts.flatMap((part) => part.type === "reference" ? [part] : []);
}

/** Text, or the index of a capture. */
type Piece = string | number;

/** A compiled template, in which names are replaced by indexes. */
export type CompiledText = readonly Piece[];

/** Builds the text; a missing capture becomes an empty string. */
export function expandPieces(
  pieces: CompiledText,
  captures: readonly string[],
  encode?: (capture: string) => string,
): string {
  let text = "";
  for (const piece of pieces) {
    if (typeof piece === "string") text += piece;
    else text += encode?.(captures[piece] ?? "") ?? captures[piece] ?? "";
  }
  return text;
}

/**
 * Characters that a header value must not contain (RFC 9110 5.5): control characters, and
 * everything beyond Latin-1.
 */
const NO_HEADER_TEXT = /[^\t\x20-\x7e\x80-\xff]/gu;

/** Percent-encodes characters that a header value cannot contain. */
export function encodeHeaderText(text: string): string {
  return text.toWellFormed().replace(NO_HEADER_TEXT, encodeURIComponent);
}

/**
 * Percent-encodes characters that have a meaning in a query, but keeps `%XX`. Expects a canonical
 * path.
 */
export function encodeForQuery(capture: string): string {
  return capture.replace(
    /[^\w.~%\/-]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}

/** Replaces names with indexes into `names`; an unknown name becomes an empty string. */
export function compilePieces(
  parts: readonly TemplatePart[],
  names: readonly string[],
  literal: (text: string) => string,
): CompiledText {
  return parts.map((part) => part.type === "text" ? literal(part.text) : names.indexOf(part.name));
}

/** Prepares the value of a `set_headers` entry; `names` are the captures of the rule's glob. */
export function compileHeaderValue(value: string, names: readonly string[]): CompiledText {
  const parsed = parseTemplate(value);
  return compilePieces("parts" in parsed ? parsed.parts : [], names, encodeHeaderText);
}

/**
 * Returns the text of a URL as its author wrote it. Only characters that clients would not read as
 * written are percent-encoded: blanks, control characters, everything beyond ASCII, a backslash
 * (which browsers read as a slash) and a `%` that does not begin an escape.
 */
export function encodeUrlText(text: string): string {
  return text.toWellFormed().replace(
    /%(?![0-9A-Fa-f]{2})|[^\x21-\x7e]|\\/gu,
    encodeURIComponent,
  );
}
