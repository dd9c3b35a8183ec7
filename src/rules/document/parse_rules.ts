/** @module Parses `svc.rules.toml`, or JSON, into a valid rule set, or reports all its problems. */
import { type Diagnostic, hasErrors } from "../../lib/diagnostic.ts";
import { atOnce, type Pace, type Steps } from "../../lib/next_turn.ts";
import { parseToml, type TomlDocument } from "../../lib/toml.ts";
import type { CheckedRule } from "../rule_set/checked_rule.ts";
import { normalizeRule, normalizeRules } from "../rule_set/normalize.ts";
import type { RuleSet, RuntimeRuleSet } from "../rule_set/types.ts";
import { checkGates, type PlacedRule } from "../validate/gates.ts";
import { checkRule } from "../validate/check_rule.ts";
import { checkSurroundings, type Surroundings } from "../validate/surroundings.ts";
import { checkUniqueIds } from "../validate/unique_ids.ts";
import { warnDeadConditions } from "../warnings/dead_conditions.ts";
import { warnFolderPages } from "../warnings/folder_page.ts";
import { warnRedirectLoops } from "../warnings/redirect_loops.ts";
import { warnRule } from "../warnings/warn_rule.ts";
import { warnUnreachable } from "../warnings/unreachable.ts";
import { type Finding, toDiagnostics } from "../finding.ts";
import { MAX_DEPTH, MAX_RULES_BYTES } from "../limits.ts";
import { readRules } from "./read_rules.ts";
import { collect, countValues, startPace } from "../work.ts";

/** All errors and warnings, and the rule set if there are no errors. */
interface ParsedRules {
  readonly ruleSet?: RuleSet;
  readonly diagnostics: readonly Diagnostic[];
}

/** A rule set as written and in the edge's form; both are missing if there are errors. */
export interface LoadedRules extends ParsedRules {
  readonly runtime?: RuntimeRuleSet;
}

interface Checked {
  readonly findings: readonly Finding[];
  /** The rules that are valid by themselves, normalized. */
  readonly sound: readonly PlacedRule[];
}

/** Checks each rule by itself, and normalizes the valid rules. */
function* checkEach(
  rules: readonly CheckedRule[],
  surroundings: Surroundings,
  pace: Pace,
): Steps<Checked> {
  const findings: Finding[] = [];
  const sound: PlacedRule[] = [];
  for (const checked of rules) {
    const errors = [...checkRule(checked)];
    findings.push(...errors, ...warnRule(checked), ...checkSurroundings(checked, surroundings));
    if (errors.length === 0 && checked.complete) {
      sound.push({ index: checked.index, rule: normalizeRule(checked.rule) });
    }
    if (pace.fills(countValues(checked.rule))) yield;
  }
  return { findings, sound };
}

function* checkAll(value: unknown, surroundings: Surroundings): Steps<Checked> {
  const pace = startPace();
  const { findings: shape, rules } = yield* readRules(value, pace);
  const findings = [...shape];
  yield* collect(checkUniqueIds(rules, pace), findings);
  const { findings: each, sound } = yield* checkEach(rules, surroundings, pace);
  for (const finding of each) findings.push(finding);
  yield* collect(checkGates(sound, pace), findings);
  yield* collect(warnDeadConditions(sound, pace), findings);
  yield* collect(warnUnreachable(sound, pace), findings);
  yield* collect(warnRedirectLoops(sound, pace), findings);
  yield* collect(warnFolderPages(sound, pace, surroundings.hasFolderPage), findings);
  return { findings, sound };
}

function* load(
  value: unknown,
  surroundings: Surroundings,
  document?: TomlDocument,
): Steps<LoadedRules> {
  const { findings, sound } = yield* checkAll(value, surroundings);
  const diagnostics = toDiagnostics(findings, {
    ruleSet: value,
    document,
  });
  if (hasErrors(diagnostics)) return { diagnostics };
  const ruleSet = value as RuleSet;
  const rules = sound.map(({ rule }) => rule);
  return { ruleSet, diagnostics, runtime: { ...normalizeRules({ ...ruleSet, rules: [] }), rules } };
}

/**
 * Parses and validates the text of a `svc.rules.toml`. Every problem is reported with its line and
 * column; a byte order mark is ignored. The rules' requirements on their environment are checked if
 * `surroundings` are known. The work is limited by `MAX_RULES_BYTES`, `MAX_RULES` and `MAX_DEPTH`.
 * Never throws for invalid text.
 */
export function parseRulesToml(source: string, surroundings: Surroundings = {}): ParsedRules {
  return withoutRuntime(loadRulesToml(source, surroundings));
}

/** Validates a rule set from plain data such as JSON, without positions. */
export function parseRulesValue(value: unknown, surroundings: Surroundings = {}): ParsedRules {
  return withoutRuntime(loadRulesValue(value, surroundings));
}

function withoutRuntime({ runtime: _, ...parsed }: LoadedRules): ParsedRules {
  return parsed;
}

/** Parses, validates and normalizes the text of a `svc.rules.toml`. */
export function loadRulesToml(source: string, surroundings: Surroundings = {}): LoadedRules {
  const text = source.replace(/^\uFEFF/, "");
  const result = parseToml(text, { maxBytes: MAX_RULES_BYTES, maxDepth: MAX_DEPTH });
  return result.ok
    ? atOnce(load(result.document.value, surroundings, result.document))
    : { diagnostics: result.diagnostics };
}

/** Validates and normalizes a rule set from plain data. */
export function loadRulesValue(value: unknown, surroundings: Surroundings = {}): LoadedRules {
  return atOnce(load(value, surroundings));
}

/** Loads rules like `loadRulesValue()`, but in steps with a bounded number of rules. */
export function loadRulesInSteps(
  value: unknown,
  surroundings: Surroundings = {},
): Steps<LoadedRules> {
  return load(value, surroundings);
}
