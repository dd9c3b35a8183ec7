/**
 * References in the values of variables: `${{backend.url}}`. Pure.
 *
 * A resolved value is never parsed for references again. `describeCycle()` finds projects that
 * refer to each other's URLs.
 *
 * @module
 */

/** Maximum number of references in one value. */
const MAX_REFERENCES = 20;

export type Reference =
  /** The URL of a project in the workspace. */
  | { readonly type: "project"; readonly name: string }
  /** The connection string of one of the project's databases. */
  | { readonly type: "database"; readonly name: string }
  /** The deployment's own URL. */
  | { readonly type: "self" };

/** A part of a value: text, or a reference with the content between its braces. */
type ValuePart = string | { readonly words: string; readonly to: Reference };

type ParsedValue =
  | { readonly ok: true; readonly parts: readonly ValuePart[] }
  | { readonly ok: false; readonly message: string };

/** Matches an escape, a reference, or the start of an unclosed reference. */
const MARK = /\$\$\{\{|\$\{\{(?:([^{}\r\n]*)\}\})?/g;

const NAME = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const PROJECT = new RegExp(`^(${NAME})\\.url$`);
const DATABASE = new RegExp(`^db\\.(${NAME})\\.url$`);

const HOW = "Write ${{<project>.url}}, ${{db.<database>.url}} or ${{self.url}}, " +
  "or $${{ for the text ${{";

function parseReference(words: string): Reference | undefined {
  if (words === "self.url") return { type: "self" };
  const database = DATABASE.exec(words)?.[1];
  if (database !== undefined) return { type: "database", name: database };
  const project = PROJECT.exec(words)?.[1];
  return project === undefined ? undefined : { type: "project", name: project };
}

/** Splits a value into its parts. Error messages quote a reference, never the text around it. */
export function parseValue(value: string): ParsedValue {
  const parts: ValuePart[] = [];
  let end = 0;
  let references = 0;
  for (const { 0: mark, 1: inner, index } of value.matchAll(MARK)) {
    parts.push(value.slice(end, index));
    end = index + mark.length;
    if (mark === "$${{") {
      parts.push("${{");
      continue;
    }
    if (inner === undefined) return { ok: false, message: `A reference is not closed. ${HOW}` };
    const words = inner.trim();
    const to = parseReference(words);
    if (to === undefined) {
      return { ok: false, message: `"\${{${words}}}" is not a reference. ${HOW}` };
    }
    if (++references > MAX_REFERENCES) {
      return { ok: false, message: `A value can have at most ${MAX_REFERENCES} references` };
    }
    parts.push({ words, to });
  }
  parts.push(value.slice(end));
  return { ok: true, parts: parts.filter((part) => part !== "") };
}

/** Returns whether a value has references or escapes, valid or not. */
export const hasReferences = (value: string): boolean => value.includes("${{");

function namesIn(values: readonly string[], type: "database" | "project"): readonly string[] {
  const parts = values.map(parseValue).flatMap((parsed) => parsed.ok ? parsed.parts : []);
  const names = parts.flatMap((part) =>
    typeof part !== "string" && part.to.type === type ? [part.to.name] : []
  );
  return [...new Set(names)];
}

/** Returns the names of the databases to which values refer. */
export const databasesIn = (values: readonly string[]): readonly string[] =>
  namesIn(values, "database");

/** Returns the names of the projects to which values refer. */
export const projectsIn = (values: readonly string[]): readonly string[] =>
  namesIn(values, "project");
