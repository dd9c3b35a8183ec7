/** @module Parses `svc.rules.test.toml` into rows, or reports all its problems. */
import { type Diagnostic, hasErrors, type PathStep, type Position } from "../../lib/diagnostic.ts";
import {
  describeIssues,
  type DocumentFormat,
  fieldOf,
  valueAt,
} from "../../lib/schema_problems.ts";
import { nearest } from "../../lib/suggest.ts";
import { parseToml, type TomlDocument } from "../../lib/toml.ts";
import { errorAt, type Finding, toDiagnostics } from "../finding.ts";
import { EXPECTATION_FIELDS, type RuleTest, ruleTestFileSchema, TEST_FIELDS } from "./schema.ts";

/** Maximum size of a test file, in bytes. */
const MAX_RULE_TESTS_BYTES = 4 * 1024 * 1024;
const MAX_DEPTH = 8;

/** A row and its position. */
export interface PlacedRuleTest {
  readonly test: RuleTest;
  readonly position?: Position;
}

interface ParsedRuleTests {
  /** Missing if there are errors. */
  readonly tests?: readonly PlacedRuleTest[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Describes the fields of the document and its rows. The fields of a row have two levels. */
function formatOf(root: unknown): DocumentFormat {
  return {
    root,
    partAt: (path) =>
      path.length === 0
        ? { name: "a test file", fields: ["tests"] }
        : path.at(-1) === "expect"
        ? { name: "an expectation", fields: EXPECTATION_FIELDS }
        : { name: "a test", fields: TEST_FIELDS },
  };
}

/** Fields of a row that contain rule IDs. */
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
      message: `Name a rule in the set: there is no rule "${id}"`,
      ...(meant === undefined ? {} : { hint: `Did you mean "${meant}"?` }),
    });
  }
}

function check(value: unknown, ids: ReadonlySet<string>): readonly Finding[] {
  const parsed = ruleTestFileSchema.safeParse(value);
  const problems = describeIssues(parsed.error?.issues ?? [], [], formatOf(value));
  const rows = fieldOf(value, "tests");
  return [
    ...problems.map((problem) => ({ severity: "error" as const, ...problem })),
    ...(Array.isArray(rows) ? rows : []).flatMap((row, index) => [
      ...checkRuleIds(row, ["tests", index], ids),
    ]),
  ];
}

function placed(document: TomlDocument): readonly PlacedRuleTest[] {
  return ruleTestFileSchema.parse(document.value).tests.map((test, index) => {
    const position = document.locateKey(["tests", index]);
    return position === undefined ? { test } : { test, position };
  });
}

/**
 * Parses and checks a test table. `ruleIds` are the IDs of the tested rules. A row with any other
 * ID is an error. Never throws for invalid text.
 */
export function parseRuleTests(source: string, ruleIds: Iterable<string>): ParsedRuleTests {
  const result = parseToml(source, { maxBytes: MAX_RULE_TESTS_BYTES, maxDepth: MAX_DEPTH });
  if (!result.ok) return { diagnostics: result.diagnostics };
  const { document } = result;
  const findings = check(document.value, new Set(ruleIds));
  const diagnostics = toDiagnostics(findings, { ruleSet: document.value, document });
  return hasErrors(diagnostics) ? { diagnostics } : { diagnostics, tests: placed(document) };
}
