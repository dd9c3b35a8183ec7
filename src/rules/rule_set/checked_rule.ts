/** @module One valid rule, with its position in the set. */
import type { PathStep } from "../../lib/diagnostic.ts";
import type { ActionPlace } from "../actions/action_definition.ts";
import { leavesOf, type PlacedLeaf } from "../conditions/condition.ts";
import type { Rule } from "./types.ts";

export interface CheckedRule {
  /** Index in `rules`. */
  readonly index: number;
  readonly rule: Rule;
  /**
   * False if invalid fields were dropped. In that case, the remaining fields are checked, but not
   * the rule's relations to other rules.
   */
  readonly complete: boolean;
  /** False if the path of the condition was dropped. */
  readonly isPathKnown: boolean;
}

export function rulePath({ index }: CheckedRule): PathStep[] {
  return ["rules", index];
}

/** Returns the parts of the rule's condition, each with its position in the set. */
export function leavesOfRule(checked: CheckedRule): PlacedLeaf[] {
  return leavesOf(checked.rule.condition, [...rulePath(checked), "condition"]);
}

/** Describes the position of the rule's action, for the action's definition. */
export function actionPlaceOf(checked: CheckedRule): ActionPlace {
  return {
    path: [...rulePath(checked), "action"],
    condition: checked.rule.condition,
    isComplete: checked.complete,
  };
}
