/**
 * @module The rules at one position of the index, which have the same path and host. If there are
 * many rules, each is also indexed by another field of its condition: a header, cookie or query
 * value, a network, a country, a device, or its methods.
 */
import { BY_SELECTIVITY, type ConditionName, CONDITIONS } from "../conditions/conditions.ts";
import type { RequestFacts } from "../request/facts.ts";
import type { Pace, Steps } from "../../lib/next_turn.ts";
import { countValues } from "../work.ts";
import type { CompiledRule } from "./compiled_rule.ts";

/** Minimum number of rules for a bucket to be indexed. */
const FILE_FROM = 4;

/** Receives lists of candidates, each in the order of evaluation. */
export type TakeRules = (rules: readonly CompiledRule[]) => void;

/** One way to narrow down a bucket's rules. */
interface Filing {
  /** Adds a rule. Returns false if the rule has no condition on this field. */
  readonly add: (rule: CompiledRule) => boolean;
  readonly visit: (facts: RequestFacts, take: TakeRules) => void;
}

function createFiling<F extends ConditionName>(field: F): Filing | undefined {
  const index = CONDITIONS[field].index?.create<CompiledRule>();
  if (index === undefined) return undefined;
  return {
    add(rule) {
      const value = rule.condition.root.leaf[field];
      return value !== undefined && index.add(value, rule);
    },
    visit: index.visit,
  };
}

/** A bucket's rules, each indexed by the most selective field of its condition. */
class Filings {
  readonly #byField = new Map<ConditionName, Filing>();
  readonly #others: CompiledRule[] = [];

  add(rule: CompiledRule): void {
    const field = BY_SELECTIVITY.find((name) => this.#fileBy(name, rule));
    if (field === undefined) this.#others.push(rule);
  }

  visit(facts: RequestFacts, take: TakeRules): void {
    if (this.#others.length > 0) take(this.#others);
    for (const filing of this.#byField.values()) filing.visit(facts, take);
  }

  #fileBy(field: ConditionName, rule: CompiledRule): boolean {
    if (rule.condition.root.leaf[field] === undefined) return false;
    const filing = this.#byField.get(field) ?? createFiling(field);
    if (filing === undefined || !filing.add(rule)) return false;
    this.#byField.set(field, filing);
    return true;
  }
}

export class Bucket {
  #rules: CompiledRule[] = [];
  #filings: Filings | undefined;

  add(rule: CompiledRule): void {
    this.#rules.push(rule);
  }

  /** Builds the index if it is worthwhile. No rule can be added afterwards. */
  *finish(pace: Pace): Steps<void> {
    if (pace.fills(1)) yield;
    if (this.#rules.length < FILE_FROM) return;
    const filings = new Filings();
    for (const rule of this.#rules) {
      filings.add(rule);
      if (pace.fills(countValues(rule.condition.root.leaf))) yield;
    }
    this.#filings = filings;
    this.#rules = [];
  }

  /** Reports the lists of rules that can match. A rule can be in several lists. */
  visit(facts: RequestFacts, take: TakeRules): void {
    if (this.#filings === undefined) take(this.#rules);
    else this.#filings.visit(facts, take);
  }
}
