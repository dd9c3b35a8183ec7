/**
 * What each kind of condition has to say beyond its schema.
 *
 * @module
 */
import type { PathStep } from "../../lib/diagnostic.ts";
import { type CheckedRule, leavesOfRule } from "../rule_set/mod.ts";
import {
  CONDITION_NAMES,
  type ConditionName,
  CONDITIONS,
  type RawConditions,
} from "../conditions/mod.ts";
import type { Finding } from "../finding.ts";

function checkField<F extends ConditionName>(
  field: F,
  leaf: Partial<RawConditions>,
  path: readonly PathStep[],
): Iterable<Finding> {
  const value = leaf[field];
  return value === undefined ? [] : CONDITIONS[field].check?.(value, path) ?? [];
}

/** Reports values that no request can meet, or that are none. */
export function* checkConditions(checked: CheckedRule): Generator<Finding> {
  for (const { leaf, path } of leavesOfRule(checked)) {
    for (const field of CONDITION_NAMES) yield* checkField(field, leaf, [...path, field]);
  }
}
