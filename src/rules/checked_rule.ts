/**
 * One rule that has the right shape, with its place in the set.
 *
 * @module
 */
import type { PathStep } from "../lib/diagnostic.ts";
import type { LeafCondition, Rule } from "./types.ts";

export interface CheckedRule {
  /** Index in `rules`. */
  readonly index: number;
  readonly rule: Rule;
  /**
   * False where fields with problems had to be left out: then only what is
   * there can be judged, not how the rule relates to others.
   */
  readonly complete: boolean;
  /** False where the path of the condition had to be left out. */
  readonly isPathKnown: boolean;
}

/** A condition and the path of its place: the root, an item of `any`, or `not`. */
export interface PlacedLeaf {
  readonly leaf: LeafCondition;
  readonly path: readonly PathStep[];
  readonly isRoot: boolean;
}

/** The field path of a rule. */
export function rulePath(checked: CheckedRule): PathStep[] {
  return ["rules", checked.index];
}

/** The root condition, the items of `any`, and `not`. */
export function leavesOf(checked: CheckedRule): PlacedLeaf[] {
  const condition = checked.rule.condition;
  if (condition === undefined) return [];
  const base = [...rulePath(checked), "condition"];
  const leaves: PlacedLeaf[] = [{ leaf: condition, path: base, isRoot: true }];
  condition.any?.forEach((leaf, index) =>
    leaves.push({ leaf, path: [...base, "any", index], isRoot: false })
  );
  if (condition.not !== undefined) {
    leaves.push({ leaf: condition.not, path: [...base, "not"], isRoot: false });
  }
  return leaves;
}
