/** @module Small operations on TOML text: writing values and finding lines. */

type TomlScalar = string | number | boolean;

/** A value that can be written into TOML text. */
export type TomlValue =
  | TomlScalar
  | readonly string[]
  | { readonly [name: string]: TomlScalar };

/** One replacement: `text` replaces the characters from `start` up to `end`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies splices that do not overlap, given in any order. */
export function applySplices(source: string, splices: readonly Splice[]): string {
  return [...splices].sort((left, right) => right.start - left.start)
    .reduce((text, { start, end, text: inserted }) => {
      return text.slice(0, start) + inserted + text.slice(end);
    }, source);
}

function writeString(text: string): string {
  if (!text.isWellFormed()) throw new TypeError("Cannot write a string with a lone surrogate");
  return JSON.stringify(text).replaceAll("\x7f", "\\u007F");
}

export function writeKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : writeString(name);
}

export function isTomlTable(value: TomlValue): value is { readonly [name: string]: TomlScalar } {
  return typeof value === "object" && !Array.isArray(value);
}

/** Writes a value on one line. Throws `TypeError` for a number that is not a safe integer. */
export function writeValue(value: TomlValue): string {
  if (typeof value === "string") return writeString(value);
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new TypeError(`Cannot write the number ${value}: expected a whole number`);
  }
  if (typeof value !== "object") return String(value);
  if (!isTomlTable(value)) return `[${value.map(writeString).join(", ")}]`;
  const entries = Object.entries(value);
  if (entries.length === 0) return "{}";
  return `{ ${
    entries.map(([name, inner]) => `${writeKey(name)} = ${writeValue(inner)}`).join(", ")
  } }`;
}

/** Returns the line ending that the text uses: its first one, or a line feed if there is none. */
export function lineEnding(source: string): string {
  return /\r?\n/.exec(source)?.[0] ?? "\n";
}

/** Returns the start of the line that contains `offset`. */
export function lineStart(source: string, offset: number): number {
  return source.lastIndexOf("\n", offset - 1) + 1;
}

/** Returns the end of the line that contains `offset`, before its line ending. */
export function lineEnd(source: string, offset: number): number {
  const feed = source.indexOf("\n", offset);
  if (feed === -1) return source.length;
  return feed > offset && source[feed - 1] === "\r" ? feed - 1 : feed;
}

/** Returns the start of the line after the one that contains `offset`. */
export function nextLine(source: string, offset: number): number {
  const feed = source.indexOf("\n", offset);
  return feed === -1 ? source.length : feed + 1;
}

/** Returns the indentation of the line that contains `offset`. */
export function indentation(source: string, offset: number): string {
  return /^[ \t]*/.exec(source.slice(lineStart(source, offset), offset))?.[0] ?? "";
}
