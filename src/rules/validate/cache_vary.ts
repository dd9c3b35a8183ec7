/**
 * Validation rule 2: a cache rule must vary by the request-dependent
 * dimensions of its condition, or one visitor's answer would be kept for
 * another who does not meet the condition.
 *
 * @module
 */
import { type CheckedRule, leavesOf, rulePath } from "../checked_rule.ts";
import { CONDITION_NAMES, type ConditionName, CONDITIONS } from "../conditions/conditions.ts";
import { errorAt, type Finding, joinNames } from "../finding.ts";
import type { LeafCondition } from "../types.ts";
import { VARY_DIMENSIONS, type VaryDimension } from "../vocabulary.ts";

const FIELD_OF = Object.fromEntries(
  CONDITION_NAMES.flatMap((field) => {
    const { vary } = CONDITIONS[field];
    return vary === undefined ? [] : [[vary, field]];
  }),
) as Readonly<Record<VaryDimension, ConditionName>>;

function dependsOn(leaf: LeafCondition, dimension: VaryDimension): boolean {
  const value = leaf[FIELD_OF[dimension]];
  return value !== undefined && Object.keys(value).length > 0;
}

/** Reports the dimensions that the condition asks for and `vary` does not list. */
export function* checkCacheVary(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  if (action.type !== "cache" || !checked.complete) return;
  const leaves = leavesOf(checked);
  const missing = VARY_DIMENSIONS.filter((dimension) =>
    !action.vary?.includes(dimension) && leaves.some(({ leaf }) => dependsOn(leaf, dimension))
  );
  if (missing.length === 0) return;
  const quoted = missing.map((dimension) => `"${dimension}"`);
  const fields = missing.map((dimension) => FIELD_OF[dimension]);
  const all = VARY_DIMENSIONS.filter((dimension) =>
    action.vary?.includes(dimension) || missing.includes(dimension)
  );
  yield errorAt([...rulePath(checked), "action", "vary"], {
    code: "missing_vary",
    message: `Add ${joinNames(quoted)} to vary: the condition depends on ${joinNames(fields)}`,
    hint: `vary = [${all.map((dimension) => `"${dimension}"`).join(", ")}]`,
  });
}
