/** @module Compiles a rule set once, when it goes live, so requests do not parse anything. */
import { atOnce, type Pace, type Steps } from "../../lib/next_turn.ts";
import { sortInSteps } from "../../lib/sort_in_steps.ts";
import { PHASES } from "../decision.ts";
import type { RuntimeRuleSet } from "../rule_set/types.ts";
import { countValues, startPace } from "../work.ts";
import { atItsPlace, isClientBound } from "./client_bound.ts";
import { type CompiledRule, compileRule, type UnrankedRule } from "./compiled_rule.ts";
import { RuleIndex } from "./rule_index.ts";

/** A rule set that is ready to be evaluated. */
export interface CompiledRules {
  /** The rule set that was compiled. A rule's index in it identifies the rule's counter. */
  readonly source: RuntimeRuleSet;
  /** The enabled rules in the order of evaluation. */
  readonly rules: readonly CompiledRule[];
  readonly index: RuleIndex;
  /** The client-bound rules, indexed by host and path only. */
  readonly clientBound: RuleIndex;
}

/**
 * Returns how specific a pipeline rule's path is. An exact path is the most specific; other paths
 * are ranked by the length of their literal prefix.
 */
function specificity(rule: UnrankedRule): number {
  const { path } = rule.condition.root;
  if (path === undefined) return 0;
  if (path.type === "exact") return Infinity;
  return path.type === "glob" ? path.glob.prefix.length : path.text.length;
}

const PIPELINE = PHASES.indexOf("pipeline");

/**
 * Compares rules by phase, then by authored order. Pipelines are first compared by override and
 * specificity.
 */
function compareRules(a: UnrankedRule, b: UnrankedRule): number {
  if (a.phase !== b.phase) return a.phase - b.phase;
  if (a.effect.isOverride !== b.effect.isOverride) return a.effect.isOverride ? -1 : 1;
  if (a.phase === PIPELINE) {
    const [ofA, ofB] = [specificity(a), specificity(b)];
    if (ofA !== ofB) return ofA < ofB ? 1 : -1;
  }
  return a.ref.index - b.ref.index;
}

/**
 * Compiles a normalized rule set; disabled rules are omitted. Throws TypeError for a set that
 * validation would have rejected.
 */
export function compileRules(set: RuntimeRuleSet): CompiledRules {
  return atOnce(compileInSteps(set));
}

/** Compiles a rule set like `compileRules()`, but in steps with a bounded number of rules. */
export function* compileInSteps(
  set: RuntimeRuleSet,
  pace: Pace = startPace(),
): Steps<CompiledRules> {
  const compiled: UnrankedRule[] = [];
  for (const [index, rule] of set.rules.entries()) {
    if (!rule.enabled) continue;
    compiled.push(compileRule(rule, index));
    if (pace.fills(countValues(rule))) yield;
  }
  const sorted = yield* sortInSteps(compiled, (a, b) => compareRules(a, b) < 0);
  const rules: CompiledRule[] = [];
  const clientBound: CompiledRule[] = [];
  for (const [rank, unranked] of sorted.entries()) {
    const rule = { ...unranked, rank };
    const source = set.rules[rule.ref.index]!;
    rules.push(rule);
    if (isClientBound(source)) clientBound.push(atItsPlace(rule, source.condition));
    if (pace.fills(countValues(source.condition))) yield;
  }
  return {
    source: set,
    rules,
    index: yield* RuleIndex.of(rules, pace),
    clientBound: yield* RuleIndex.of(clientBound, pace),
  };
}
