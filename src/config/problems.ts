/** @module Converts schema errors in a `svc.toml` to diagnostics with a position. */
import { type Diagnostic, formatPath, type PathStep, type Position } from "../lib/diagnostic.ts";
import {
  describeIssues,
  type DocumentFormat,
  type DocumentPart,
  type SchemaIssue,
  type SchemaProblem,
  valueAt,
} from "../lib/schema_problems.ts";
import { nearest } from "../lib/suggest.ts";
import type { TomlDocument } from "../lib/toml.ts";
import { CHECK_KEYS } from "./checks_table.ts";
import { FORM_KEYS } from "./forms_table.ts";
import { DECLARATION_KEYS, TABLE_KEYS, VISIBILITIES } from "./schema.ts";

/** Returns the last step in a path that is a name rather than an index. */
const lastName = (path: readonly PathStep[]): string =>
  String(path.findLast((step) => typeof step === "string") ?? "");

function keysOf(path: readonly PathStep[]): readonly string[] {
  if (path[0] === "cron" || path[0] === "queues") return TABLE_KEYS[path[0]] ?? [];
  if (path[0] === "forms" && path.length > 1) return FORM_KEYS;
  if (path[0] === "checks") return CHECK_KEYS[lastName(path)] ?? [];
  const isDeclaration = path[0] === "env" && path[1] === "declarations";
  return isDeclaration ? DECLARATION_KEYS : TABLE_KEYS[path.join(".")] ?? [];
}

/** Returns a hint that names the tables with this key, or `undefined` if no other table has it. */
function rightTable(path: readonly PathStep[], key: string): string | undefined {
  const tables = Object.keys(TABLE_KEYS).filter((name) =>
    name !== "" && name !== path.join(".") && TABLE_KEYS[name]!.includes(key)
  );
  return tables.length === 0
    ? undefined
    : `It belongs to ${tables.map((name) => `[${name}]`).join(" or ")}`;
}

function keyHint(path: readonly PathStep[], key: string, value: unknown): string | undefined {
  if (nearest(key, keysOf(path)) !== undefined) return undefined;
  const table = rightTable(path, key);
  if (table !== undefined) return table;
  return path.length === 1 && path[0] === "env" && VISIBILITIES.some((name) => name === value)
    ? "Declare variables in [env.declarations]"
    : undefined;
}

function partAt(path: readonly PathStep[]): DocumentPart {
  const name = path.length === 0
    ? "the project file"
    : path[0] === "cron" || path[0] === "queues"
    ? `a [[${path[0]}]] table`
    : path[0] === "checks" && path.length > 1
    ? `a ${lastName(path) === "expect" ? "checks.requests.expect" : "[[checks.requests]]"} table`
    : path.length > 2
    ? "a declaration"
    : `the [${path.join(".")}] table`;
  return { name, fields: keysOf(path) };
}

function formatOf(root: unknown): DocumentFormat {
  return {
    root,
    partAt,
    describeKey(path, key) {
      const hint = keyHint(path, key, valueAt(root, [...path, key]));
      return hint === undefined ? undefined : { hint };
    },
    /** Only declarations have two forms. A table is treated as the second form. */
    meantBranch(branches, path) {
      const value = valueAt(root, path);
      const isTable = typeof value === "object" && value !== null && !Array.isArray(value) &&
        !(value instanceof Date);
      return isTable ? branches.at(-1) : undefined;
    },
  };
}

/** The `svc.toml` codes for problems. All other problems are `invalid_value`. */
const CODES: Readonly<Record<string, string>> = {
  unknown_key: "unknown_key",
  missing_field: "missing_key",
  wrong_name: "invalid_name",
};

/** Adds positions in the file to problems, and keeps one problem for each path. */
class ProblemCollector {
  readonly diagnostics: Diagnostic[] = [];
  readonly #seen = new Set<string>();

  readonly #document: TomlDocument;

  constructor(document: TomlDocument) {
    this.#document = document;
  }

  /**
   * Returns the position of a path in the text. If a table appears only in a longer header, such as
   * `a` in `[a.b]` or `[[a]]`, returns the position of the first entry below the table.
   */
  #place(path: readonly PathStep[], locate: "locate" | "locateKey"): Position | undefined {
    const parent = this.#document[locate](path.slice(0, -1));
    const inner = [...path];
    for (;;) {
      const found = this.#document[locate](inner);
      if (found !== parent) return found;
      const value = valueAt(this.#document.value, inner);
      const first = typeof value === "object" && value !== null ? Object.keys(value)[0] : undefined;
      if (first === undefined) return parent;
      inner.push(Array.isArray(value) ? Number(first) : first);
    }
  }

  add({ code, message, path, hint, on }: SchemaProblem): void {
    const text = formatPath(path);
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    const position = this.#place(path, on === "key" ? "locateKey" : "locate");
    this.diagnostics.push({
      severity: "error",
      code: CODES[code] ?? "invalid_value",
      message,
      path: text,
      ...(hint === undefined ? {} : { hint }),
      ...(position === undefined ? {} : { position }),
    });
  }
}

/** Returns all problems in a document, ordered by position. */
export function describeProblems(
  issues: readonly SchemaIssue[],
  document: TomlDocument,
): readonly Diagnostic[] {
  const collector = new ProblemCollector(document);
  for (const problem of describeIssues(issues, [], formatOf(document.value))) {
    collector.add(problem);
  }
  return collector.diagnostics.sort((left, right) =>
    (left.position?.line ?? 0) - (right.position?.line ?? 0) ||
    (left.position?.column ?? 0) - (right.position?.column ?? 0)
  );
}
