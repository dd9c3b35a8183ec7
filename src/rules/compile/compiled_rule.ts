/** @module One rule that is ready to run. */
import { definitionOf, phaseOf } from "../actions/actions.ts";
import type { Effect } from "../actions/action_definition.ts";
import type { RuntimeRule } from "../rule_set/types.ts";
import { PHASES, type RuleRef } from "../decision.ts";
import { ConditionMatcher } from "./condition.ts";

export interface CompiledRule {
  /** Shared by all decisions that name the rule. */
  readonly ref: RuleRef;
  /** Position in the order of evaluation, across all phases. */
  readonly rank: number;
  /** Index into `PHASES`. */
  readonly phase: number;
  readonly condition: ConditionMatcher;
  readonly effect: Effect;
}

/** A rule whose position in the order of evaluation is not known yet. */
export type UnrankedRule = Omit<CompiledRule, "rank">;

/**
 * Compiles one rule.
 *
 * @throws {TypeError} for a rule that validation would have rejected.
 */
export function compileRule(rule: RuntimeRule, index: number): UnrankedRule {
  const ref: RuleRef = Object.freeze({ id: rule.id, index });
  const condition = new ConditionMatcher(rule.condition);
  const { captureNames } = condition;
  return {
    ref,
    phase: PHASES.indexOf(phaseOf(rule.action.type)),
    condition,
    effect: definitionOf(rule.action).compile(rule.action, {
      ref,
      condition: rule.condition,
      captureNames,
    }),
  };
}
