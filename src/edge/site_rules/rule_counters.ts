/**
 * How often each rule of a site took effect or was recorded.
 *
 * @module
 */
import type { RuntimeRuleSet } from "../../rules/mod.ts";

export interface RuleCount {
  readonly ruleId: string;
  /** Since the set was compiled. */
  readonly count: number;
}

/** One number per rule, by its place in the set. */
export class RuleCounters {
  readonly #counts: Float64Array;

  constructor(private readonly ruleSet: RuntimeRuleSet) {
    this.#counts = new Float64Array(ruleSet.rules.length);
  }

  /** Counts one more for each of the rules, by index. */
  add(indexes: readonly number[]): void {
    for (const index of indexes) this.#counts[index]!++;
  }

  /** All rules of the set, in its order. */
  read(): readonly RuleCount[] {
    return this.ruleSet.rules.map((rule, index) => ({
      ruleId: rule.id,
      count: this.#counts[index]!,
    }));
  }
}
