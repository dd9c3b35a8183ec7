/**
 * @module Finds the positions of keys in TOML text. With these positions, an edit can leave every
 * other byte unchanged.
 */
import { type AST, parseTOML } from "toml-eslint-parser";

export type KeyPath = readonly string[];

/** A key and its value, on a separate line or in an inline table. */
export interface Entry {
  readonly path: KeyPath;
  /** Number of names in the key itself: 2 in `project.name = "a"`. */
  readonly keyLength: number;
  readonly node: AST.TOMLKeyValue;
  /** The inline table that contains the entry. Missing for other entries. */
  readonly inline?: AST.TOMLInlineTable;
}

/** A `[header]` and the lines below it. */
export interface Section {
  readonly path: KeyPath;
  readonly node: AST.TOMLTable;
}

export interface TomlLayout {
  readonly entries: readonly Entry[];
  readonly sections: readonly Section[];
}

/** Returns true if `path` is `prefix` or is below it. */
export function startsWith(path: KeyPath, prefix: KeyPath): boolean {
  return path.length >= prefix.length && prefix.every((step, index) => path[index] === step);
}

export function isSamePath(left: KeyPath, right: KeyPath): boolean {
  return left.length === right.length && startsWith(left, right);
}

function isKeyPath(path: readonly (string | number)[]): path is KeyPath {
  return path.every((step) => typeof step === "string");
}

function collect(
  node: AST.TOMLKeyValue,
  base: KeyPath,
  inline: AST.TOMLInlineTable | undefined,
): Entry[] {
  const names = node.key.keys.map((key) => key.type === "TOMLBare" ? key.name : key.value);
  const path = [...base, ...names];
  const value = node.value;
  const below = value.type === "TOMLInlineTable"
    ? value.body.flatMap((inner) => collect(inner, path, value))
    : [];
  const entry = { path, keyLength: names.length, node };
  return [inline === undefined ? entry : { ...entry, inline }, ...below];
}

/**
 * Reads the layout of TOML text, in source order. Entries in arrays of tables are left out. Throws
 * `SyntaxError` for text that is not TOML.
 */
export function readLayout(source: string): TomlLayout {
  const entries: Entry[] = [];
  const sections: Section[] = [];
  for (const node of parseTOML(source, { tomlVersion: "1.0" }).body[0].body) {
    if (node.type === "TOMLKeyValue") {
      entries.push(...collect(node, [], undefined));
    } else if (isKeyPath(node.resolvedKey)) {
      const path = node.resolvedKey;
      sections.push({ path, node });
      entries.push(...node.body.flatMap((inner) => collect(inner, path, undefined)));
    }
  }
  return { entries, sections };
}
