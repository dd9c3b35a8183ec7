/** @module Compiled conditions. Evaluation and `explain` run the same code. */
import { BY_COST, type ConditionName, CONDITIONS } from "../conditions/conditions.ts";
import { compilePath, pathHolds, type PathMatcher } from "../conditions/path.ts";
import type { RequestFacts } from "../request/facts.ts";
import type { RuntimeCondition, RuntimeLeaf } from "../rule_set/types.ts";

/** The name of a field that is not met, including `any` and `not`. */
export type ConditionField = ConditionName | "any" | "not";

interface FieldTest {
  readonly field: ConditionName;
  readonly holds: (facts: RequestFacts) => boolean;
}

function testOf<F extends ConditionName>(field: F, leaf: RuntimeLeaf): FieldTest[] {
  const value = leaf[field];
  return value === undefined ? [] : [{ field, holds: CONDITIONS[field].compile(value) }];
}

/** Tests the fields of a condition that can also be in `any` and `not`. */
export class LeafMatcher {
  readonly path: PathMatcher | undefined;
  readonly #tests: readonly FieldTest[];

  constructor(readonly leaf: RuntimeLeaf) {
    this.path = leaf.path && compilePath(leaf.path);
    this.#tests = BY_COST.flatMap((field) => testOf(field, leaf));
  }

  get host(): string | undefined {
    return this.leaf.host;
  }

  /**
   * Returns the first unmet field, in an order that tests the cheapest fields first, or `undefined`
   * if all are met.
   */
  failing(facts: RequestFacts): ConditionName | undefined {
    for (const { field, holds } of this.#tests) {
      if (!holds(facts)) return field;
    }
    return undefined;
  }
}

export class ConditionMatcher {
  readonly root: LeafMatcher;
  readonly any: readonly LeafMatcher[] | undefined;
  readonly #not: LeafMatcher | undefined;

  constructor({ any, not, ...leaf }: RuntimeCondition) {
    this.root = new LeafMatcher(leaf);
    this.any = any?.map((item) => new LeafMatcher(item));
    this.#not = not && new LeafMatcher(not);
  }

  /** Returns the first unmet field, or `undefined` if the condition is met. */
  failing(facts: RequestFacts): ConditionField | undefined {
    const field = this.root.failing(facts);
    if (field !== undefined) return field;
    if (this.#not !== undefined && this.#not.failing(facts) === undefined) return "not";
    const { any } = this;
    if (any === undefined) return undefined;
    return any.some((leaf) => leaf.failing(facts) === undefined) ? undefined : "any";
  }

  /** Returns true if the condition's own path matches, or the condition has none. */
  holdsForPath(path: string): boolean {
    return this.root.path === undefined || pathHolds(this.root.path, path);
  }

  /** Returns the captures of the root glob, in order. */
  captures(path: string): readonly string[] {
    const matcher = this.root.path;
    return matcher?.type === "glob" ? matcher.glob.capture(path) ?? [] : [];
  }

  /** The names of the root glob's captures. */
  get captureNames(): readonly string[] {
    return this.root.path?.type === "glob" ? this.root.path.glob.names : [];
  }
}
