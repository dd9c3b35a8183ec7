/**
 * One rule that has the right shape, with its place in the set.
 *
 * @module
 */
import type { PathStep } from "../../lib/diagnostic.ts";
import type { ActionPlace } from "../actions/action_definition.ts";
import { leavesOf, type PlacedLeaf } from "../conditions/condition.ts";
import type { Rule } from "./types.ts";

export interface CheckedRule {
  /** Index in `rules`. */
  readonly index: number;
  readonly rule: Rule;
  /**
   * False if invalid fields were left out: then only the remaining ones can be checked, not how the
   * rule relates to others.
   */
  readonly complete: boolean;
  /** False if the path of the condition had to be left out. */
  readonly isPathKnown: boolean;
}

/** The field path of a rule. */
export function rulePath({ index }: CheckedRule): PathStep[] {
  return ["rules", index];
}

/** The parts of the rule's condition, with their places in the set. */
export function leavesOfRule(checked: CheckedRule): PlacedLeaf[] {
  return leavesOf(checked.rule.condition, [...rulePath(checked), "condition"]);
}

/** Returns the place of the rule's action for its definition. */
export function actionPlaceOf(checked: CheckedRule): ActionPlace {
  return {
    path: [...rulePath(checked), "action"],
    condition: checked.rule.condition,
    isComplete: checked.complete,
  };
}
