/**
 * The rules that stand at one place of the index, hence with the same path and
 * host. Where they are many, each is filed under one more thing that it asks for:
 * a header, cookie or query value, a network, a country, a device, or its methods.
 *
 * @module
 */
import { BY_SELECTIVITY, type ConditionName, CONDITIONS } from "../conditions/mod.ts";
import type { Pace, Steps } from "../../lib/next_turn.ts";
import type { RequestFacts } from "../request/mod.ts";
import { countValues } from "../work.ts";
import type { CompiledRule } from "./compiled_rule.ts";

/** From this many rules on, a bucket files them. */
const FILE_FROM = 4;

/** Receives the lists of candidates; each is in the order of evaluation. */
export type TakeRules = (rules: readonly CompiledRule[]) => void;

/** One way to narrow down the rules of a bucket. */
interface Filing {
  /** False where the rule does not ask for what this is by. */
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

/** The rules of a bucket, each filed under the most selective thing that it asks for. */
class Filings {
  private readonly byField = new Map<ConditionName, Filing>();
  private readonly others: CompiledRule[] = [];

  add(rule: CompiledRule): void {
    const field = BY_SELECTIVITY.find((name) => this.fileBy(name, rule));
    if (field === undefined) this.others.push(rule);
  }

  visit(facts: RequestFacts, take: TakeRules): void {
    if (this.others.length > 0) take(this.others);
    for (const filing of this.byField.values()) filing.visit(facts, take);
  }

  private fileBy(field: ConditionName, rule: CompiledRule): boolean {
    if (rule.condition.root.leaf[field] === undefined) return false;
    const filing = this.byField.get(field) ?? createFiling(field);
    if (filing === undefined || !filing.add(rule)) return false;
    this.byField.set(field, filing);
    return true;
  }
}

export class Bucket {
  private rules: CompiledRule[] = [];
  private filings: Filings | undefined;

  add(rule: CompiledRule): void {
    this.rules.push(rule);
  }

  /** Files the rules, where that is worth it; none may be added after. */
  *finish(pace: Pace): Steps<void> {
    if (pace.fills(1)) yield;
    if (this.rules.length < FILE_FROM) return;
    const filings = new Filings();
    for (const rule of this.rules) {
      filings.add(rule);
      if (pace.fills(countValues(rule.condition.root.leaf))) yield;
    }
    this.filings = filings;
    this.rules = [];
  }

  /** Hands out the lists of rules that may match; a rule may come in several of them. */
  visit(facts: RequestFacts, take: TakeRules): void {
    if (this.filings === undefined) take(this.rules);
    else this.filings.visit(facts, take);
  }
}
