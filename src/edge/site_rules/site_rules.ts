/**
 * The rules of a site: compiled, with a counter for each.
 *
 * @module
 */
import { type CompiledRules, compileInSteps, type RuntimeRuleSet } from "../../rules/mod.ts";
import type { Steps } from "../../lib/next_turn.ts";

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

/** The compiled rules of a site. */
export interface SiteRules {
  readonly compiled: CompiledRules;
  /** Names these rules and no others. */
  readonly identity: symbol;
  readonly counters: RuleCounters;
  /** What the rate limiter knows a rule by, at the rule's index: limits outlive a deploy. */
  readonly limitScopes: readonly string[];
}

/** Compiles a rule set, in steps; `undefined` for one without enabled rules. */
export function* siteRulesSteps(
  rules: RuntimeRuleSet | null,
  projectId: string,
): Steps<SiteRules | undefined> {
  if (rules === null || !rules.rules.some((rule) => rule.enabled)) return undefined;
  return {
    compiled: yield* compileInSteps(rules),
    identity: Symbol(projectId),
    counters: new RuleCounters(rules),
    limitScopes: rules.rules.map((rule) => `${projectId}/${rule.id}`),
  };
}
