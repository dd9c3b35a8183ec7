/**
 * From the text of `svc.rules.test.toml` to rows, or to all that is wrong with it.
 *
 * @module
 */
import type { z } from "zod";
import { type Diagnostic, hasErrors, type PathStep, type Position } from "../../lib/diagnostic.ts";
import { nearest } from "../../lib/suggest.ts";
import { parseToml, type TomlDocument } from "../../lib/toml.ts";
import { describeValue } from "../describe_value.ts";
import { errorAt, fieldOf, type Finding, toDiagnostics, valueAt } from "../finding.ts";
import { EXPECTATION_FIELDS, type RuleTest, ruleTestSchema, TEST_FIELDS } from "./schema.ts";

/** Largest test file, in bytes. */
const MAX_RULE_TESTS_BYTES = 4 * 1024 * 1024;
const MAX_DEPTH = 8;

/** A row and where it stands. */
export interface PlacedRuleTest {
  readonly test: RuleTest;
  readonly position?: Position;
}

export interface ParsedRuleTests {
  /** Absent where there are errors. */
  readonly tests?: readonly PlacedRuleTest[];
  readonly diagnostics: readonly Diagnostic[];
}

type Issue = z.core.$ZodIssue;

function describeIssue(issue: Issue, base: readonly PathStep[], value: unknown): Finding[] {
  const path = [
    ...base,
    ...issue.path.map((step) => typeof step === "number" ? step : String(step)),
  ];
  if (issue.code === "unrecognized_keys") {
    const fields = path.at(-1) === "expect" ? EXPECTATION_FIELDS : TEST_FIELDS;
    return issue.keys.map((key) => unknownKey([...path, key], key, fields));
  }
  if (issue.code === "invalid_key") {
    const message = `${issue.issues[0]?.message}: it is ${describeValue(path.at(-1))}`;
    return [errorAt(path, { code: "wrong_name", message, on: "key" })];
  }
  const seen = valueAt(value, path);
  if (seen === undefined) {
    const message = `Add "${path.at(-1)}": a test needs it`;
    return [errorAt(path, { code: "missing_field", message, on: "key" })];
  }
  return [errorAt(path, {
    code: "wrong_value",
    message: `${issue.message}: it is ${describeValue(seen)}`,
  })];
}

function unknownKey(path: readonly PathStep[], key: string, fields: readonly string[]): Finding {
  const meant = nearest(key, fields);
  return errorAt(path, {
    code: "unknown_key",
    message: `Remove ${JSON.stringify(key)}: there is no such field`,
    hint: meant === undefined ? `Use ${fields.join(", ")}` : `Did you mean "${meant}"?`,
    on: "key",
  });
}

/** Fields of a row that name rules. */
const RULE_LISTS = [["over_limit"], ["expect", "matched"], ["expect", "not_matched"]] as const;
const RULE_NAMES = [["expect", "rule"], ["expect", "pipeline"]] as const;

function* checkRuleIds(
  row: unknown,
  base: readonly PathStep[],
  ids: ReadonlySet<string>,
): Generator<Finding> {
  const places = [
    ...RULE_NAMES.map((path) => [...path]),
    ...RULE_LISTS.flatMap((path) => {
      const list = valueAt(row, path);
      return Array.isArray(list) ? list.map((_, index) => [...path, index]) : [];
    }),
  ];
  for (const path of places) {
    const id = valueAt(row, path);
    if (typeof id !== "string" || ids.has(id)) continue;
    const meant = nearest(id, ids);
    yield errorAt([...base, ...path], {
      code: "unknown_rule",
      message: `Name a rule of the set: there is no rule "${id}"`,
      ...(meant === undefined ? {} : { hint: `Did you mean "${meant}"?` }),
    });
  }
}

function* check(value: unknown, ids: ReadonlySet<string>): Generator<Finding> {
  const rows = fieldOf(value, "tests");
  for (const key of Object.keys(value ?? {})) {
    if (key !== "tests") yield unknownKey([key], key, ["tests"]);
  }
  if (!Array.isArray(rows) || rows.length === 0) {
    yield errorAt(["tests"], {
      code: "missing_field",
      message: "Add at least one [[tests]] table",
    });
    return;
  }
  for (const [index, row] of rows.entries()) {
    const base = ["tests", index];
    const parsed = ruleTestSchema.safeParse(row);
    for (const issue of parsed.error?.issues ?? []) yield* describeIssue(issue, base, value);
    yield* checkRuleIds(row, base, ids);
  }
}

function placed(document: TomlDocument): readonly PlacedRuleTest[] {
  const rows = fieldOf(document.value, "tests");
  return (Array.isArray(rows) ? rows : []).map((row, index) => {
    const position = document.locateKey(["tests", index]);
    const test = ruleTestSchema.parse(row);
    return position === undefined ? { test } : { test, position };
  });
}

/**
 * Parses and checks a test table. `ruleIds` are the rules of the set that is
 * tested; a row that names another one is an error. Nothing is thrown for bad text.
 */
export function parseRuleTests(source: string, ruleIds: Iterable<string>): ParsedRuleTests {
  const result = parseToml(source, { maxBytes: MAX_RULE_TESTS_BYTES, maxDepth: MAX_DEPTH });
  if (!result.ok) return { diagnostics: result.diagnostics };
  const { document } = result;
  const findings = [...check(document.value, new Set(ruleIds))];
  const diagnostics = toDiagnostics(findings, { ruleSet: document.value, document });
  return hasErrors(diagnostics) ? { diagnostics } : { diagnostics, tests: placed(document) };
}
