/**
 * @module Proves relations between the sets of requests that two conditions match. Every result
 * `true` is a proof; `false` means "not proven".
 */
import { BY_COST, type ConditionName, CONDITIONS } from "../conditions/conditions.ts";
import { comparable } from "../conditions/lists.ts";
import { type PathSet, pathSetOf } from "../conditions/path/path_sets.ts";
import type { RuntimeCondition, RuntimeLeaf } from "../rule_set/types.ts";
import { countValues } from "../work.ts";

interface LeafSet {
  readonly leaf: RuntimeLeaf;
  readonly path: PathSet;
}

/** A condition that is prepared for comparison. */
export interface ConditionSet extends LeafSet {
  readonly any: readonly LeafSet[] | undefined;
  readonly not: LeafSet | undefined;
  /** The number of values that the condition consists of. */
  readonly values: number;
}

const leafSetOf = (leaf: RuntimeLeaf): LeafSet => ({ leaf, path: pathSetOf(leaf.path) });

/** Prepares a normalized condition. */
export function conditionSetOf(condition: RuntimeCondition): ConditionSet {
  const { any, not, ...leaf } = condition;
  return {
    ...leafSetOf(leaf),
    any: any?.map(leafSetOf),
    not: not && leafSetOf(not),
    values: countValues(condition),
  };
}

function fieldContains<F extends ConditionName>(
  field: F,
  outer: RuntimeLeaf,
  inner: RuntimeLeaf,
): boolean {
  const wanted = outer[field];
  return wanted === undefined || CONDITIONS[field].contains(wanted, inner[field]);
}

function fieldDisjoint<F extends ConditionName>(field: F, a: RuntimeLeaf, b: RuntimeLeaf): boolean {
  const [left, right] = [a[field], b[field]];
  return left !== undefined && right !== undefined && CONDITIONS[field].disjoint(left, right);
}

function leafContains(outer: LeafSet, inner: LeafSet): boolean {
  return BY_COST.every((field) => fieldContains(field, outer.leaf, inner.leaf));
}

/** Returns true if the paths or hosts show that no request meets both conditions. */
export function placesDisjoint(a: LeafSet, b: LeafSet): boolean {
  return fieldDisjoint("host", a.leaf, b.leaf) || fieldDisjoint("path", a.leaf, b.leaf);
}

function leavesDisjoint(a: LeafSet, b: LeafSet): boolean {
  return BY_COST.some((field) => fieldDisjoint(field, a.leaf, b.leaf));
}

function anyContains(outer: ConditionSet, inner: ConditionSet): boolean {
  const items = outer.any;
  if (items === undefined || items.some((item) => leafContains(item, inner))) return true;
  return inner.any !== undefined && comparable(items, inner.any) &&
    inner.any.every((one) => items.some((item) => leafContains(item, one)));
}

function notContains(outer: ConditionSet, inner: ConditionSet): boolean {
  if (outer.not === undefined || leavesDisjoint(outer.not, inner)) return true;
  return inner.not !== undefined && leafContains(inner.not, outer.not);
}

/** Returns true if it is proven that every request in `inner` is also in `outer`. */
export function conditionContains(outer: ConditionSet, inner: ConditionSet): boolean {
  return leafContains(outer, inner) && anyContains(outer, inner) && notContains(outer, inner);
}

/** Returns true if it is proven that no request is in both sets. */
export function conditionsDisjoint(a: ConditionSet, b: ConditionSet): boolean {
  if (leavesDisjoint(a, b)) return true;
  if (a.not !== undefined && leafContains(a.not, b)) return true;
  if (b.not !== undefined && leafContains(b.not, a)) return true;
  return a.any?.every((item) => leavesDisjoint(item, b)) === true ||
    b.any?.every((item) => leavesDisjoint(item, a)) === true;
}

/**
 * Returns true if it is proven that every request that is in both `a` and `b` is also in `outer`.
 */
function leafContainsBoth(outer: LeafSet, a: LeafSet, b: LeafSet): boolean {
  return BY_COST.every((field) =>
    fieldContains(field, outer.leaf, a.leaf) || fieldContains(field, outer.leaf, b.leaf)
  );
}

/** The parts of a condition that are proven to match no request. */
interface DeadParts {
  /**
   * Whether the condition contradicts itself: `not` excludes everything that the condition
   * requires.
   */
  readonly whole: boolean;
  /** Indexes of the items of `any` that contradict the rest of the condition. */
  readonly branches: readonly number[];
}

/** Finds contradictions within a condition. */
export function deadPartsOf(set: ConditionSet): DeadParts {
  const { any = [], not } = set;
  if (not !== undefined && leafContains(not, set)) return { whole: true, branches: [] };
  const branches = any.flatMap((item, index) =>
    leavesDisjoint(item, set) || (not !== undefined && leafContainsBoth(not, item, set))
      ? [index]
      : []
  );
  return { whole: false, branches };
}
