/** @module Checks a single rule for problems that the schema cannot detect. */
import type { PathStep } from "../../lib/diagnostic.ts";
import { definitionOf } from "../actions/actions.ts";
import {
  CONDITION_NAMES,
  type ConditionName,
  CONDITIONS,
  type RawConditions,
} from "../conditions/conditions.ts";
import { actionPlaceOf, type CheckedRule, leavesOfRule } from "../rule_set/checked_rule.ts";
import type { Finding } from "../finding.ts";
import { checkCaptures } from "./captures.ts";

function checkField<F extends ConditionName>(
  field: F,
  leaf: Partial<RawConditions>,
  path: readonly PathStep[],
): Iterable<Finding> {
  const value = leaf[field];
  return value === undefined ? [] : CONDITIONS[field].check?.(value, path) ?? [];
}

/** Reports the problems in a single rule. */
export function* checkRule(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  for (const { leaf, path } of leavesOfRule(checked)) {
    for (const field of CONDITION_NAMES) yield* checkField(field, leaf, [...path, field]);
  }
  yield* checkCaptures(checked);
  yield* definitionOf(action).check?.(action, actionPlaceOf(checked)) ?? [];
}
