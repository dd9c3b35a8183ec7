import { type CompiledRules, compileInSteps, type RuntimeRuleSet } from "../../rules/mod.ts";
import type { Steps } from "../../lib/next_turn.ts";

export interface RuleCount {
  readonly ruleId: string;
  /**
   * Number of requests for which the rule took effect or was logged, since the rule set was
   * compiled.
   */
  readonly count: number;
}

/** One counter for each rule, by its index in the set. */
class RuleCounters {
  readonly #counts: Float64Array;
  #indexes: ReadonlyMap<string, number> | undefined;

  readonly #ruleSet: RuntimeRuleSet;

  constructor(ruleSet: RuntimeRuleSet) {
    this.#ruleSet = ruleSet;
    this.#counts = new Float64Array(ruleSet.rules.length);
  }

  /** Counts a request for several rules, by index. */
  add(indexes: readonly number[]): void {
    for (const index of indexes) this.#counts[index]!++;
  }

  /** Counts a request for several rules, by ID. */
  addIds(ids: readonly string[]): void {
    this.#indexes ??= new Map(this.#ruleSet.rules.map(({ id }, index) => [id, index]));
    const indexes = this.#indexes;
    this.add(ids.flatMap((id) => indexes.get(id) ?? []));
  }

  /** Returns the counts of all rules, in the order of the set. */
  read(): readonly RuleCount[] {
    return this.#ruleSet.rules.map((rule, index) => ({
      ruleId: rule.id,
      count: this.#counts[index]!,
    }));
  }
}

export interface SiteRules {
  readonly compiled: CompiledRules;
  /** Identifies this compiled rule set. */
  readonly identity: symbol;
  readonly counters: RuleCounters;
  /**
   * The rate limiter's scope for each rule, by index. A new deployment does not change the scope,
   * so limits persist.
   */
  readonly limitScopes: readonly string[];
}

/** Compiles a rule set in steps. Returns `undefined` if no rules are enabled. */
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
