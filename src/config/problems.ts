/**
 * Turns what the schema complains about into diagnostics with a place in the
 * file and a way out.
 *
 * @module
 */
import type { z } from "zod";
import { type Diagnostic, formatPath, type PathStep, type Position } from "../lib/diagnostic.ts";
import { nearest } from "../lib/suggest.ts";
import type { TomlDocument } from "../lib/toml.ts";
import { DECLARATION_KEYS, TABLE_KEYS, VISIBILITIES } from "./schema.ts";

type Issue = z.core.$ZodIssue;

/** Longest current value that a message repeats, in characters. */
const MAX_SHOWN = 60;

function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (value instanceof Date) return "a date";
  if (typeof value === "object" && value !== null) return "a table";
  if (typeof value === "number" && value === Math.floor(value) && Math.abs(value) > 1e15) {
    return "a number out of range";
  }
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  return shown.length <= MAX_SHOWN ? shown : `text of ${String(value).length} characters`;
}

function valueAt(root: unknown, path: readonly PathStep[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) {
      return undefined;
    }
    value = (value as Record<PathStep, unknown>)[step];
  }
  return value;
}

function keysOf(path: readonly PathStep[]): readonly string[] {
  const isDeclaration = path[0] === "env" && path[1] === "declarations";
  return isDeclaration ? DECLARATION_KEYS : TABLE_KEYS[path.join(".")] ?? [];
}

/** Where a key would be right that stands in the wrong table, as people often write it. */
function rightTable(path: readonly PathStep[], key: string): string | undefined {
  const tables = Object.keys(TABLE_KEYS).filter((name) =>
    name !== "" && name !== path.join(".") && TABLE_KEYS[name]!.includes(key)
  );
  return tables.length === 0
    ? undefined
    : `It belongs to ${tables.map((name) => `[${name}]`).join(" or ")}`;
}

function unknownKeyHint(path: readonly PathStep[], key: string, value: unknown): string {
  const known = keysOf(path);
  const near = nearest(key, known);
  if (near !== undefined) return `Did you mean "${near}"?`;
  const table = rightTable(path, key);
  if (table !== undefined) return table;
  if (path.length === 1 && path[0] === "env" && VISIBILITIES.some((name) => name === value)) {
    return "Declare variables in [env.declarations]";
  }
  return `Known here: ${known.join(", ")}`;
}

/** Reports the issues of one parse; positions and current values come from the document. */
class ProblemCollector {
  readonly diagnostics: Diagnostic[] = [];
  private readonly seen = new Set<string>();

  constructor(private readonly document: TomlDocument) {}

  add(issue: Issue, base: readonly PathStep[]): void {
    const path = [...base, ...(issue.path as PathStep[])];
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) this.addUnknownKey(path, key);
    } else if (issue.code === "invalid_key") {
      this.addInvalidKey(path, issue.issues[0]?.message ?? issue.message);
    } else if (issue.code === "invalid_union") {
      this.addUnion(issue, path);
    } else {
      this.addInvalidValue(path, issue);
    }
  }

  private addUnknownKey(path: readonly PathStep[], key: string): void {
    const full = [...path, key];
    this.push(full, {
      code: "unknown_key",
      message: `Remove or rename the unknown key ${JSON.stringify(key)}`,
      hint: unknownKeyHint(path, key, valueAt(this.document.value, full)),
    });
  }

  private addInvalidKey(path: readonly PathStep[], wanted: string): void {
    this.push(path, {
      code: "invalid_name",
      message: `Use ${wanted}, not ${showValue(String(path.at(-1)))}`,
    });
  }

  /** Only declarations have two forms: the one that was written tells which complaints count. */
  private addUnion(
    issue: Extract<Issue, { code: "invalid_union" }>,
    path: readonly PathStep[],
  ): void {
    const value = valueAt(this.document.value, path);
    const isTable = typeof value === "object" && value !== null && !Array.isArray(value) &&
      !(value instanceof Date);
    const form = issue.errors.at(-1);
    if (isTable && form !== undefined) { for (const inner of form) this.add(inner, path); }
    else this.addInvalidValue(path, issue);
  }

  private addInvalidValue(path: readonly PathStep[], issue: Issue): void {
    const value = valueAt(this.document.value, path);
    if (value === undefined) {
      const key = String(path.at(-1));
      this.push(path, {
        code: "missing_key",
        message: `Add the key "${key}" with ${issue.message}`,
      });
      return;
    }
    const wanted = issue.message.startsWith("Invalid input") ? "a table" : issue.message;
    const near = typeof value === "string" && wanted.startsWith(`"sensitive"`)
      ? nearest(value, VISIBILITIES)
      : undefined;
    this.push(path, {
      code: "invalid_value",
      message: `Set ${wanted}, not ${showValue(value)}`,
      ...(near === undefined ? {} : { hint: `Did you mean "${near}"?` }),
    });
  }

  /**
   * Where a path was written. One that stands only in a longer header, such as
   * `a` in `[a.b]` or `[[a]]`, is where the first thing below it is.
   */
  private place(path: readonly PathStep[], locate: "locate" | "locateKey"): Position | undefined {
    const parent = this.document[locate](path.slice(0, -1));
    const inner = [...path];
    for (;;) {
      const found = this.document[locate](inner);
      if (found !== parent) return found;
      const value = valueAt(this.document.value, inner);
      const first = typeof value === "object" && value !== null ? Object.keys(value)[0] : undefined;
      if (first === undefined) return parent;
      inner.push(Array.isArray(value) ? Number(first) : first);
    }
  }

  private push(
    path: readonly PathStep[],
    found: Pick<Diagnostic, "code" | "message" | "hint">,
  ): void {
    const text = formatPath(path);
    if (this.seen.has(text)) return;
    this.seen.add(text);
    const aboutKey = found.code === "unknown_key" || found.code === "invalid_name";
    const position = this.place(path, aboutKey ? "locateKey" : "locate");
    this.diagnostics.push({
      severity: "error",
      path: text,
      ...found,
      ...(position === undefined ? {} : { position }),
    });
  }
}

/** All problems of a document, in the order in which they stand in the file. */
export function describeIssues(
  issues: readonly Issue[],
  document: TomlDocument,
): readonly Diagnostic[] {
  const collector = new ProblemCollector(document);
  for (const issue of issues) collector.add(issue, []);
  return collector.diagnostics.sort((left, right) =>
    (left.position?.line ?? 0) - (right.position?.line ?? 0) ||
    (left.position?.column ?? 0) - (right.position?.column ?? 0)
  );
}
