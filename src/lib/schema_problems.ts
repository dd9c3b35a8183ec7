/**
 * @module Describes schema problems in a document with the same wording throughout svc: first how
 * to fix the problem, then the current value. The schema's messages state the expected value, as in
 * "Use a port number from 1 to 65535".
 */
import type * as z from "zod";
import { describeValue } from "./describe_value.ts";
import type { PathStep } from "./diagnostic.ts";
import { nearest } from "./suggest.ts";

/** Maximum number of problems that are described per part. */
export const MAX_PROBLEMS = 100;

/** An issue that zod found. */
export type SchemaIssue = z.core.$ZodIssue;

/** A problem whose position in the text is not yet known. */
export interface SchemaProblem {
  /** Stable, machine-readable code in snake case. */
  readonly code: string;
  /** Starts with a capital and has no final period. */
  readonly message: string;
  /** From the root of the document. */
  readonly path: readonly PathStep[];
  /** A hint for the author. */
  readonly hint?: string;
  /** Whether the name or the value is wrong; the value by default. */
  readonly on?: "key" | "value";
}

/** A part of a document: its name, such as "a rule", and its fields. */
export interface DocumentPart {
  readonly name: string;
  readonly fields: readonly string[];
}

/** Everything that the translator needs to know about the format and the document. */
export interface DocumentFormat {
  /** The whole untyped document; current values are read from it. */
  readonly root: unknown;
  /** The format's name for a set of named fields; "a table" if missing. */
  readonly table?: string;
  /** Returns the part of the document at a path. */
  partAt(path: readonly PathStep[]): DocumentPart;
  /** Returns a custom message for a field that a part does not accept. */
  describeKey?(
    path: readonly PathStep[],
    key: string,
  ): { readonly message?: string; readonly hint?: string } | undefined;
  /** Returns a problem with a custom message, or `undefined` for the usual one. Called first. */
  describeIssue?(issue: SchemaIssue, path: readonly PathStep[]): SchemaProblem | undefined;
  /**
   * If no branch of a union matches, returns the issues of the branch that the author probably
   * meant, or `undefined` to describe the whole union.
   */
  meantBranch?(
    branches: readonly (readonly SchemaIssue[])[],
    path: readonly PathStep[],
  ): readonly SchemaIssue[] | undefined;
}

/** Returns a field of a plain table, or `undefined` if the value is not a table. */
export function fieldOf(value: unknown, name: PathStep): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<PathStep, unknown>)[name]
    : undefined;
}

/** Returns the value at a path in untyped data, or `undefined` if there is none. */
export function valueAt(value: unknown, path: readonly PathStep[]): unknown {
  return path.reduce(fieldOf, value);
}

const letters = (word: string): string => [...word.toLowerCase()].sort().join("");

/**
 * Returns the word that the author probably meant: the nearest one, or the one that consists of the
 * same letters.
 */
function meantWord(word: string, candidates: readonly string[]): string | undefined {
  return nearest(word, candidates) ??
    candidates.find((candidate) =>
      candidate.length === word.length && letters(candidate) === letters(word)
    );
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the allowed values of a choice, including those of its branches. */
function offeredValues(issue: SchemaIssue): readonly string[] {
  if (issue.code === "invalid_value") return issue.values.map(String);
  if (issue.code !== "invalid_union") return [];
  if ("options" in issue && issue.options !== undefined) return issue.options.map(String);
  return issue.errors.flat().flatMap(offeredValues);
}

/** Describes the expected value. Zod has no message for an unknown tag of a union. */
function wantedOf(issue: SchemaIssue, offered: readonly string[]): string {
  return issue.code === "invalid_union" && issue.errors.length === 0 && offered.length > 0
    ? `Use one of ${offered.join(", ")}`
    : issue.message;
}

const CODES: Readonly<Record<string, string>> = {
  invalid_type: "wrong_type",
  too_small: "out_of_range",
  too_big: "out_of_range",
  invalid_format: "wrong_format",
  invalid_union: "wrong_type",
};

function describeKey(
  path: readonly PathStep[],
  key: string,
  format: DocumentFormat,
): SchemaProblem {
  const { name, fields } = format.partAt(path);
  const meant = meantWord(key, fields);
  return {
    code: "unknown_key",
    message: `Remove ${describeValue(key)}: ${name} has no such field`,
    hint: meant === undefined
      ? `${capitalized(name)} takes ${fields.join(", ")}`
      : `Did you mean "${meant}"?`,
    ...format.describeKey?.(path, key),
    path: [...path, key],
    on: "key",
  };
}

function describeName(
  issue: Extract<SchemaIssue, { readonly code: "invalid_key" }>,
  path: readonly PathStep[],
): SchemaProblem {
  const wanted = issue.issues[0]?.message ?? issue.message;
  const message = `${wanted}: it is ${describeValue(path.at(-1))}`;
  return { code: "wrong_name", message, path, on: "key" };
}

function describeMissing(
  wanted: string,
  path: readonly PathStep[],
  format: DocumentFormat,
): SchemaProblem {
  const { name } = format.partAt(path.slice(0, -1));
  const message = `Add "${path.at(-1)}": ${name} needs it`;
  return { code: "missing_field", message, path, hint: wanted };
}

function describeWrongValue(
  issue: SchemaIssue,
  path: readonly PathStep[],
  format: DocumentFormat,
): SchemaProblem {
  const value = valueAt(format.root, path);
  const offered = offeredValues(issue);
  const wanted = wantedOf(issue, offered);
  if (value === undefined) return describeMissing(wanted, path, format);
  const isUnknownWord = typeof value === "string" && !offered.includes(value);
  const meant = isUnknownWord ? meantWord(value, offered) : undefined;
  return {
    code: offered.length > 0 ? "unknown_value" : CODES[issue.code] ?? "wrong_value",
    message: `${wanted}: it is ${describeValue(value, format.table)}`,
    path,
    ...(meant === undefined ? {} : { hint: `Did you mean "${meant}"?` }),
  };
}

function describeIssue(
  issue: SchemaIssue,
  base: readonly PathStep[],
  format: DocumentFormat,
): readonly SchemaProblem[] {
  const inner = issue.path.map((step) => typeof step === "number" ? step : String(step));
  const path = [...base, ...inner];
  const own = format.describeIssue?.(issue, path);
  if (own !== undefined) return [own];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, MAX_PROBLEMS).map((key) => describeKey(path, key, format));
  }
  if (issue.code === "invalid_key") return [describeName(issue, path)];
  const branch = issue.code === "invalid_union" && issue.errors.length > 0
    ? format.meantBranch?.(issue.errors, path)
    : undefined;
  return branch?.flatMap((nested) => describeIssue(nested, path, format)) ??
    [describeWrongValue(issue, path, format)];
}

/**
 * Translates zod's issues. `base` is the position of the parsed value in the document. Reports each
 * message only once per position, and at most a hundred problems in total.
 */
export function describeIssues(
  issues: readonly SchemaIssue[],
  base: readonly PathStep[],
  format: DocumentFormat,
): SchemaProblem[] {
  const found = new Map<string, SchemaProblem>();
  for (const issue of issues) {
    for (const problem of describeIssue(issue, base, format)) {
      const key = JSON.stringify([problem.path, problem.message]);
      if (!found.has(key)) found.set(key, problem);
      if (found.size === MAX_PROBLEMS) return [...found.values()];
    }
  }
  return [...found.values()];
}
