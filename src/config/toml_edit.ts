/**
 * @module Sets or removes one key in TOML text, preserving comments, order and every unaffected
 * line.
 *
 * Works on the positions of the syntax tree, because libraries that patch TOML are not exact:
 * `@decimalturn/toml-patch` 3.3 puts a new key below the comment of the next table, and adds or
 * drops blank lines at the end.
 */
import { isDeepStrictEqual } from "node:util";
import { type AST, getStaticTOMLValue } from "toml-eslint-parser";
import { spliceArray } from "./toml_array_edit.ts";
import {
  type Entry,
  isSamePath,
  type KeyPath,
  readLayout,
  startsWith,
  type TomlLayout,
} from "./toml_layout.ts";
import {
  applySplices,
  indentation,
  isTomlTable,
  lineEnd,
  lineEnding,
  lineStart,
  nextLine,
  type TomlValue,
  writeKey,
  writeValue,
} from "./toml_text.ts";

const writeKeys = (path: KeyPath): string => path.map(writeKey).join(".");

function addLine(source: string, anchor: number, line: string): string {
  const at = lineEnd(source, anchor);
  const indent = indentation(source, anchor);
  return source.slice(0, at) + lineEnding(source) + indent + line + source.slice(at);
}

function addToInlineTable(source: string, table: AST.TOMLInlineTable, assignment: string): string {
  const last = table.body.at(-1);
  const splice = last === undefined
    ? { start: table.range[0], end: table.range[1], text: `{ ${assignment} }` }
    : { start: last.range[1], end: last.range[1], text: `, ${assignment}` };
  return applySplices(source, [splice]);
}

function addSection(source: string, path: KeyPath, assignment: string): string {
  const newline = lineEnding(source);
  const ended = source === "" || source.endsWith("\n") ? source : source + newline;
  const isSeparated = ended === "" || /(^|\n)\r?\n$/.test(ended);
  return `${ended}${isSeparated ? "" : newline}[${
    writeKeys(path)
  }]${newline}${assignment}${newline}`;
}

/**
 * Returns the last entry whose dotted key leads through `table`, for example `project.name` if
 * `table` is `project`.
 */
function dottedNeighbor(layout: TomlLayout, table: KeyPath): Entry | undefined {
  return layout.entries.findLast(({ path, keyLength }) =>
    path.length > table.length && path.length - keyLength < table.length && startsWith(path, table)
  );
}

/** Adds a new key to a table that already exists. */
function insert(source: string, path: KeyPath, value: TomlValue): string {
  const layout = readLayout(source);
  const parent = path.slice(0, -1);
  const written = writeValue(value);
  const section = layout.sections.find((section) => isSamePath(section.path, parent));
  if (section !== undefined) {
    const anchor = (section.node.body.at(-1) ?? section.node.key).range[1];
    return addLine(source, anchor, `${writeKey(path.at(-1)!)} = ${written}`);
  }
  for (let length = parent.length; length > 0; length--) {
    const table = parent.slice(0, length);
    const home = layout.entries.find((entry) => isSamePath(entry.path, table))?.node.value;
    if (home?.type === "TOMLInlineTable") {
      return addToInlineTable(source, home, `${writeKeys(path.slice(length))} = ${written}`);
    }
    const beside = dottedNeighbor(layout, table);
    if (beside === undefined) continue;
    const key = writeKeys(path.slice(beside.path.length - beside.keyLength));
    return beside.inline === undefined
      ? addLine(source, beside.node.range[1], `${key} = ${written}`)
      : addToInlineTable(source, beside.inline, `${key} = ${written}`);
  }
  return addSection(source, parent, `${writeKey(path.at(-1)!)} = ${written}`);
}

function replaceValue(source: string, node: AST.TOMLContentNode, value: TomlValue): string {
  if (isDeepStrictEqual(getStaticTOMLValue(node), value)) return source;
  const [start, end] = node.range;
  const splices = node.type === "TOMLArray" && Array.isArray(value)
    ? spliceArray(source, node, value)
    : [{ start, end, text: writeValue(value) }];
  return applySplices(source, splices);
}

function removeEntry(source: string, { node, inline }: Entry): string {
  if (inline === undefined) {
    return source.slice(0, lineStart(source, node.range[0])) +
      source.slice(nextLine(source, node.range[1]));
  }
  const index = inline.body.indexOf(node);
  const before = inline.body[index - 1];
  const after = inline.body[index + 1];
  if (before === undefined && after === undefined) {
    return applySplices(source, [{ start: inline.range[0], end: inline.range[1], text: "{}" }]);
  }
  const start = before === undefined ? node.range[0] : before.range[1];
  const end = before === undefined && after !== undefined ? after.range[0] : node.range[1];
  return applySplices(source, [{ start, end, text: "" }]);
}

/**
 * Removes a key in any notation, and the comment on its line. Keeps comments on separate lines.
 * Does nothing if the key is missing.
 */
export function removeTomlKey(source: string, path: KeyPath): string {
  let text = source;
  for (;;) {
    const layout = readLayout(text);
    const entry = layout.entries.find((entry) => startsWith(entry.path, path));
    const section = layout.sections.find((section) => startsWith(section.path, path));
    if (entry !== undefined) {
      text = removeEntry(text, entry);
    } else if (section !== undefined) {
      const [start, end] = section.node.key.range;
      text = text.slice(0, lineStart(text, start)) + text.slice(nextLine(text, end));
    } else {
      return text;
    }
  }
}

/** Returns the names directly below a table that is defined in several places. */
function childNames(layout: TomlLayout, path: KeyPath): readonly string[] {
  const below = [...layout.entries, ...layout.sections]
    .filter((place) => place.path.length > path.length && startsWith(place.path, path));
  return [...new Set(below.map((place) => place.path[path.length]!))];
}

/**
 * Sets a key below the top level to a value. Changes the lines of its table as little as possible.
 */
export function setTomlKey(source: string, path: KeyPath, value: TomlValue): string {
  const layout = readLayout(source);
  const entry = layout.entries.find((entry) => isSamePath(entry.path, path));
  if (entry !== undefined) return replaceValue(source, entry.node.value, value);
  const isSpread = [...layout.entries, ...layout.sections]
    .some((place) => startsWith(place.path, path));
  if (!isSpread) return insert(source, path, value);
  if (!isTomlTable(value)) return insert(removeTomlKey(source, path), path, value);
  let text = source;
  for (const name of childNames(layout, path)) {
    if (!Object.hasOwn(value, name)) text = removeTomlKey(text, [...path, name]);
  }
  for (const [name, inner] of Object.entries(value)) {
    text = setTomlKey(text, [...path, name], inner);
  }
  return text;
}
