/** @module Parses TOML 1.0 into a value, with the position of each part. */
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";
import { type Diagnostic, type PathStep, type Position } from "./diagnostic.ts";
import { findTomlExcess, MAX_TOML_VALUES, type TomlExcess } from "./toml_bounds.ts";

export interface TomlLimits {
  /** Maximum size of a document, in UTF-8 bytes. */
  readonly maxBytes: number;
  /** Maximum nesting depth of tables and arrays. */
  readonly maxDepth: number;
}

export interface TomlDocument {
  readonly value: Record<string, unknown>;
  /** Returns the position of the value at a path, or of its nearest parent. */
  locate(path: readonly PathStep[]): Position | undefined;
  /** Returns the position of the key (not the value) at a path, for errors about names. */
  locateKey(path: readonly PathStep[]): Position | undefined;
}

type TomlResult =
  | { readonly ok: true; readonly document: TomlDocument }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

class NestedTooDeep extends Error {}

class Forbidden extends Error {
  constructor(readonly position: Position, readonly key: string) {
    super(`Key "${key}" is not allowed`);
  }
}

function toPosition(loc: AST.TOMLNode["loc"]): Position {
  const oneLine = loc.start.line === loc.end.line;
  return {
    line: loc.start.line,
    column: loc.start.column + 1,
    length: oneLine ? Math.max(1, loc.end.column - loc.start.column) : 1,
  };
}

const pathKey = (path: readonly PathStep[]): string => JSON.stringify(path);

/** Collects the position of every key and value of the syntax tree. */
class PositionIndex {
  readonly values = new Map<string, Position>();
  readonly keys = new Map<string, Position>();

  readonly #maxDepth: number;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  add(program: AST.TOMLProgram): void {
    for (const node of program.body[0].body) {
      if (node.type === "TOMLTable") this.#addTable(node);
      else this.#addKeyValue(node, []);
    }
  }

  #addTable(table: AST.TOMLTable): void {
    const path = table.resolvedKey;
    this.#checkDepth(path);
    for (const step of path) this.#checkName(step, table.key);
    const position = toPosition(table.key.loc);
    for (let length = 1; length < path.length; length++) {
      this.#addOnce(path.slice(0, length), position);
    }
    this.values.set(pathKey(path), position);
    this.keys.set(pathKey(path), position);
    for (const node of table.body) this.#addKeyValue(node, path);
  }

  #addKeyValue(node: AST.TOMLKeyValue, base: readonly PathStep[]): void {
    const path = [...base];
    for (const key of node.key.keys) {
      const name = key.type === "TOMLBare" ? key.name : key.value;
      this.#checkName(name, key);
      path.push(name);
      this.#addOnce(path, toPosition(key.loc));
    }
    this.#addContent(node.value, path);
  }

  #addContent(node: AST.TOMLContentNode, path: readonly PathStep[]): void {
    this.#checkDepth(path);
    this.values.set(pathKey(path), toPosition(node.loc));
    if (node.type === "TOMLArray") {
      node.elements.forEach((element, index) => this.#addContent(element, [...path, index]));
    } else if (node.type === "TOMLInlineTable") {
      for (const entry of node.body) this.#addKeyValue(entry, path);
    }
  }

  #addOnce(path: readonly PathStep[], position: Position): void {
    const text = pathKey(path);
    if (this.keys.has(text)) return;
    this.keys.set(text, position);
    this.values.set(text, position);
  }

  #checkDepth(path: readonly PathStep[]): void {
    if (path.length > this.#maxDepth) throw new NestedTooDeep();
  }

  #checkName(name: PathStep, node: AST.TOMLNode): void {
    if (name === "__proto__") throw new Forbidden(toPosition(node.loc), name);
  }
}

function lookUp(
  map: ReadonlyMap<string, Position>,
  path: readonly PathStep[],
): Position | undefined {
  for (let length = path.length; length >= 0; length--) {
    const position = map.get(pathKey(path.slice(0, length)));
    if (position !== undefined) return position;
  }
  return undefined;
}

function failure(code: string, message: string, position?: Position): TomlResult {
  const diagnostic: Diagnostic = { severity: "error", code, message, path: "" };
  return {
    ok: false,
    diagnostics: [position === undefined ? diagnostic : { ...diagnostic, position }],
  };
}

/**
 * Reports a missing value directly after the `=`, because the parser notices it only on the next
 * line.
 */
function describeSyntax(error: ParseError, source: string): TomlResult {
  const before = source.slice(0, error.index).trimEnd();
  const lines = before.split("\n");
  const missing = before.endsWith("=") && lines.length < error.lineNumber;
  if (missing) {
    const position = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
    return failure("toml_syntax", "Cannot read TOML: A value is missing after =", position);
  }
  return failure("toml_syntax", `Cannot read TOML: ${error.message}`, {
    line: error.lineNumber,
    column: error.column + 1,
  });
}

const depthMessage = ({ maxDepth }: TomlLimits) =>
  `Nest tables and arrays at most ${maxDepth} deep`;

function excessFailure({ what, position }: TomlExcess, limits: TomlLimits): TomlResult {
  switch (what) {
    case "nesting":
      return failure("toml_depth", depthMessage(limits), position);
    case "key":
      return failure("toml_depth", `Write keys of at most ${limits.maxDepth} parts`, position);
    case "values":
      return failure("toml_size", `Keep the file within ${MAX_TOML_VALUES} values`, position);
  }
}

function describe(error: unknown, source: string, limits: TomlLimits): TomlResult {
  if (error instanceof ParseError) return describeSyntax(error, source);
  if (error instanceof Forbidden) return failure("toml_key", error.message, error.position);
  if (error instanceof NestedTooDeep) return failure("toml_depth", depthMessage(limits));
  if (error instanceof RangeError) {
    return failure("toml_size", "Shorten the longest text or number: it is too long to be read");
  }
  throw error;
}

/**
 * Parses a TOML document within bounds. Returns syntax errors, duplicate keys, oversized text and
 * excessive nesting as diagnostics, so bad input never throws.
 */
export function parseToml(source: string, limits: TomlLimits): TomlResult {
  const bytes = new TextEncoder().encode(source).byteLength;
  if (bytes > limits.maxBytes) {
    return failure("toml_size", `Keep the file within ${limits.maxBytes} bytes: it has ${bytes}`);
  }
  try {
    const excess = findTomlExcess(source, limits.maxDepth);
    if (excess !== undefined) return excessFailure(excess, limits);
    const program = parseTOML(source, { tomlVersion: "1.0" });
    const index = new PositionIndex(limits.maxDepth);
    index.add(program);
    const value = getStaticTOMLValue(program) as Record<string, unknown>;
    return {
      ok: true,
      document: {
        value,
        locate: (path) => lookUp(index.values, path),
        locateKey: (path) => lookUp(index.keys, path),
      },
    };
  } catch (error) {
    return describe(error, source, limits);
  }
}
