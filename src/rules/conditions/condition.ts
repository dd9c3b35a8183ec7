/** @module A whole condition, as written and as the edge evaluates it. */
import type { PathStep } from "../../lib/diagnostic.ts";
import type { Method } from "../vocabulary.ts";
import type { NormalConditions, RawConditions } from "./conditions.ts";
import type { METHODS_ALIAS } from "./methods.ts";

/** The fields of a condition that `any` and `not` can also have. */
export type LeafCondition = Partial<RawConditions> & {
  /** Alias of `methods`. */
  readonly [METHODS_ALIAS]?: readonly Method[];
};

export interface Condition extends LeafCondition {
  readonly any?: readonly LeafCondition[];
  readonly not?: LeafCondition;
}

/** Host in punycode, header names in lower case, countries in upper case, CIDRs masked. */
export type RuntimeLeaf = Partial<NormalConditions>;

export interface RuntimeCondition extends RuntimeLeaf {
  readonly any?: readonly RuntimeLeaf[];
  readonly not?: RuntimeLeaf;
}

/** A part of a condition and its position: the root, an item of `any`, or `not`. */
export interface PlacedLeaf {
  readonly leaf: LeafCondition;
  readonly path: readonly PathStep[];
  readonly isRoot: boolean;
}

/** Returns the parts of the condition at `path`: its root, the items of `any`, and `not`. */
export function leavesOf(
  condition: Condition | undefined,
  path: readonly PathStep[],
): PlacedLeaf[] {
  if (condition === undefined) return [];
  const { any = [], not } = condition;
  return [
    { leaf: condition, path, isRoot: true },
    ...any.map((leaf, index) => ({ leaf, path: [...path, "any", index], isRoot: false })),
    ...not === undefined ? [] : [{ leaf: not, path: [...path, "not"], isRoot: false }],
  ];
}
