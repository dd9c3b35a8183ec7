/**
 * @module Parses untyped rules one by one, so an invalid rule does not hide problems in other
 * rules.
 */
import type { PathStep } from "../../lib/diagnostic.ts";
import type { Pace, Steps } from "../../lib/next_turn.ts";
import type { CheckedRule } from "../rule_set/checked_rule.ts";
import { ruleSchema, ruleSetFrameSchema } from "../rule_set/schema.ts";
import { CONDITION_NAMES, CONDITIONS } from "../conditions/conditions.ts";
import { METHODS_ALIAS } from "../conditions/methods.ts";
import { describeIssues } from "./describe_issues.ts";
import { errorAt, type Finding } from "../finding.ts";
import { fieldOf, valueAt } from "../../lib/schema_problems.ts";
import { MAX_DEPTH, MAX_RULES } from "../limits.ts";
import { collect, countValues, type FindingSteps } from "../work.ts";

export interface ReadRules {
  readonly findings: readonly Finding[];
  readonly rules: readonly CheckedRule[];
}

/** Cost of checking how deeply one value is nested. */
const NESTING_COST = 1 / 2;

/** Finds values that are nested too deeply, and names that are forbidden in every table. */
function* checkNesting(value: unknown, path: readonly PathStep[], pace: Pace): FindingSteps {
  if (pace.fills(NESTING_COST)) yield;
  if (typeof value !== "object" || value === null) return;
  if (path.length >= MAX_DEPTH) {
    yield errorAt(path, {
      code: "too_deep",
      message: `Nest tables and lists at most ${MAX_DEPTH} deep`,
    });
    return;
  }
  for (const [step, child] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (step === "__proto__") {
      yield errorAt([...path, step], {
        code: "forbidden_name",
        message: `Use a name other than "__proto__"`,
        on: "key",
      });
    } else {
      yield* checkNesting(child, [...path, step], pace);
    }
  }
}

/** Returns the field of the rule, condition or action that contains a problem. */
function fieldAround(finding: Finding): readonly PathStep[] {
  const path = finding.path.slice(2);
  if (finding.code === "unknown_key") return path;
  return path.slice(0, path[0] === "condition" || path[0] === "action" ? 2 : 1);
}

/** Values that replace invalid list items, so the other items keep their indexes. */
const NEUTRAL_ITEMS: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    CONDITION_NAMES.map((field) => [field, CONDITIONS[field].neutralItem]),
  ),
  [METHODS_ALIAS]: CONDITIONS.methods.neutralItem,
  headers: "x",
  vary: "geo",
};

function remove(root: unknown, path: readonly PathStep[]): void {
  const parent = path.slice(0, -1).reduce<unknown>((at, step) => fieldOf(at, String(step)), root);
  const last = path.at(-1);
  const list = path.at(-2);
  if (Array.isArray(parent) && typeof last === "number") {
    if (typeof list === "string") parent[last] = NEUTRAL_ITEMS[list];
  } else if (typeof parent === "object" && parent !== null && last !== undefined) {
    Reflect.deleteProperty(parent, last);
  }
}

/** Replaces an invalid action, so the condition can still be checked. */
const HARMLESS = { type: "log" };

function* withoutProblems(
  raw: object,
  index: number,
  findings: readonly Finding[],
): Generator<unknown> {
  const copy: object = structuredClone(raw);
  for (const finding of findings) remove(copy, finding.path.slice(2));
  if (!Object.hasOwn(copy, "id")) Object.assign(copy, { id: `rules[${index}]` });
  yield copy;
  for (const finding of findings) {
    const path = fieldAround(finding);
    if (path[0] !== "id") remove(copy, path);
  }
  yield copy;
  yield { ...copy, action: HARMLESS };
}

/** Returns the largest valid part of an invalid rule. This part can still be checked. */
function salvage(raw: unknown, index: number, findings: readonly Finding[]): CheckedRule[] {
  if (typeof raw !== "object" || raw === null) return [];
  for (const copy of withoutProblems(raw, index, findings)) {
    const again = ruleSchema.safeParse(copy);
    if (!again.success) continue;
    const isPathKnown = valueAt(raw, ["condition", "path"]) === undefined ||
      again.data.condition?.path !== undefined;
    return [{ index, rule: again.data, complete: false, isPathKnown }];
  }
  return [];
}

function readRule(raw: unknown, index: number, ruleSet: unknown): ReadRules {
  const base = ["rules", index];
  const result = ruleSchema.safeParse(raw);
  if (result.success) {
    return {
      findings: [],
      rules: [{ index, rule: result.data, complete: true, isPathKnown: true }],
    };
  }
  const findings = describeIssues(result.error.issues, base, ruleSet);
  return { findings, rules: salvage(raw, index, findings) };
}

/** How many times longer it takes to describe an invalid value than to accept a valid one. */
const PROBLEM_COST = 10;

/**
 * Checks the shape of untyped data against the schema. Takes time linear in the size of the data,
 * and never throws for invalid data.
 */
export function* readRules(ruleSet: unknown, pace: Pace): Steps<ReadRules> {
  const nesting: Finding[] = [];
  yield* collect(checkNesting(ruleSet, [], pace), nesting);
  if (nesting.length > 0) return { findings: nesting, rules: [] };
  const frame = ruleSetFrameSchema.safeParse(ruleSet);
  const findings = frame.success ? [] : describeIssues(frame.error.issues, [], ruleSet);
  const raw = fieldOf(ruleSet, "rules");
  if (!Array.isArray(raw)) return { findings, rules: [] };
  if (raw.length > MAX_RULES) {
    findings.push(errorAt(["rules"], {
      code: "too_many_rules",
      message: `Use at most ${MAX_RULES} rules: the set has ${raw.length}`,
    }));
    return { findings, rules: [] };
  }
  const rules: CheckedRule[] = [];
  for (const [index, rule] of raw.entries()) {
    const read = readRule(rule, index, ruleSet);
    for (const finding of read.findings) findings.push(finding);
    for (const checked of read.rules) rules.push(checked);
    const cost = countValues(rule) * (read.findings.length === 0 ? 1 : PROBLEM_COST);
    if (pace.fills(cost)) yield;
  }
  return { findings, rules };
}
