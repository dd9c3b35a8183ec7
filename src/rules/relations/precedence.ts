/** @module Decides which of two pipeline rules gets a request that both match. */
import type { ConditionSet } from "./condition_sets.ts";

export interface Ranked {
  readonly index: number;
  readonly set: ConditionSet;
  readonly override: boolean;
  /** True if the path condition has the type `exact`. */
  readonly isExact: boolean;
  /**
   * Length of the literal start of the path; a longer start takes precedence. 0 if there is no
   * path.
   */
  readonly literalLength: number;
}

/** Compares two rules. The result is negative if `a` takes precedence over `b`. */
export function comparePrecedence(a: Ranked, b: Ranked): number {
  return Number(b.override) - Number(a.override) ||
    Number(b.isExact) - Number(a.isExact) ||
    b.literalLength - a.literalLength ||
    a.index - b.index;
}
