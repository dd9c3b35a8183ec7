/**
 * @module Warns about rules that can never match because another rule handles all their requests.
 * Only proven cases are reported; pairs of rules that an index can separate are not compared.
 */
import type { Pace, Steps } from "../../lib/next_turn.ts";
import { sortInSteps } from "../../lib/sort_in_steps.ts";
import { definitionOf, phaseOf } from "../actions/actions.ts";
import { comparePrecedence } from "../relations/precedence.ts";
import {
  conditionContains,
  type ConditionSet,
  conditionSetOf,
} from "../relations/condition_sets.ts";
import { PlaceIndex } from "../relations/place_index.ts";
import type { RuntimeRule } from "../rule_set/types.ts";
import { pipelinesOf, type PlacedRule } from "../validate/gates.ts";
import { type Phase, PHASES } from "../decision.ts";
import { type Finding, warningAt } from "../finding.ts";
import { comparisonCost, countValues, type FindingSteps } from "../work.ts";

/** Maximum number of rules per path and host to compare in full with a later rule. */
const MAX_CANDIDATES = 32;

interface Taker {
  readonly id: string;
  readonly set: ConditionSet;
  /** Whether the rule matches only requests for paths without a file. */
  readonly ifNoFile: boolean;
}

/** Rules that handle every request that they match, in the order of evaluation. */
class Takers {
  readonly #index: PlaceIndex<Taker>;
  readonly #same = new Map<string, Taker>();

  readonly #pace: Pace;

  constructor(pace: Pace) {
    this.#pace = pace;
    this.#index = new PlaceIndex(pace);
  }

  add(taker: Taker, key: string): void {
    this.#index.add(taker);
    if (!taker.ifNoFile && !this.#same.has(key)) this.#same.set(key, taker);
  }

  /** Finds a rule that is proven to take every request that `later` matches. */
  find(later: Taker, key: string): Taker | undefined {
    const same = this.#same.get(key);
    if (same !== undefined) return same;
    for (const list of this.#index.listsAbove(later.set)) {
      const found = list.slice(0, MAX_CANDIDATES).find((earlier) => {
        if (earlier.ifNoFile && !later.ifNoFile) return false;
        this.#pace.spend(comparisonCost(earlier.set.values, later.set.values));
        return conditionContains(earlier.set, later.set);
      });
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

const placeOf = (phase: Phase): number => PHASES.indexOf(phase);
const SECURITY = placeOf("security");
const REDIRECT = placeOf("redirect");
const PIPELINE = placeOf("pipeline");

const phaseOfRule = ({ action }: RuntimeRule): number => placeOf(phaseOf(action.type));

/** Returns the rules in the order of evaluation, with pipelines sorted by precedence. */
function* inEvaluationOrder(rules: readonly PlacedRule[], pace: Pace): Steps<PlacedRule[]> {
  const byIndex = new Map(rules.map((placed) => [placed.index, placed]));
  const pipelines = yield* pipelinesOf(rules, pace);
  const ranked = yield* sortInSteps(pipelines, (a, b) => comparePrecedence(a, b) < 0);
  const ordered = [
    ...rules.filter(({ rule }) => rule.action.type !== "pipeline"),
    ...ranked.flatMap(({ index }) => byIndex.get(index) ?? []),
  ];
  return yield* sortInSteps(ordered, (a, b) => phaseOfRule(a.rule) < phaseOfRule(b.rule));
}

function unreachable(index: number, taker: Taker): Finding {
  return warningAt(["rules", index], {
    code: "unreachable_rule",
    message: `Move or remove the rule: rule "${taker.id}" matches every request before it`,
    on: "key",
  });
}

/**
 * Reports enabled rules that are proven never to match: because of an earlier rule in their phase,
 * a redirect before their phase, or a `deny` that no earlier `allow` can lift.
 */
export function* warnUnreachable(rules: readonly PlacedRule[], pace: Pace): FindingSteps {
  const phases = new Map<number, Takers>();
  const takersOf = (phase: number): Takers => {
    const takers = phases.get(phase) ?? new Takers(pace);
    phases.set(phase, takers);
    return takers;
  };
  const blocked = new Takers(pace);
  let isExempting = false;
  const enabled = rules.filter(({ rule }) => rule.enabled);
  const ordered = yield* inEvaluationOrder(enabled, pace);
  for (const { index, rule } of ordered) {
    if (pace.fills(countValues(rule.condition))) yield;
    const phase = phaseOfRule(rule);
    const ifNoFile = "ifNoFile" in rule.action && rule.action.ifNoFile;
    const later = { id: rule.id, set: conditionSetOf(rule.condition), ifNoFile };
    const key = JSON.stringify(rule.condition);
    const isAfterRedirects = phase > REDIRECT && phase <= PIPELINE;
    const taker = takersOf(phase).find(later, key) ??
      (isAfterRedirects ? takersOf(REDIRECT).find(later, key) : undefined) ??
      (phase > SECURITY ? blocked.find(later, key) : undefined);
    if (taker !== undefined) {
      yield unreachable(index, taker);
    } else if (definitionOf(rule.action).endsPhase(rule.action)) {
      takersOf(phase).add(later, key);
      isExempting ||= rule.action.type === "allow";
      if (rule.action.type === "deny" && !isExempting) blocked.add(later, key);
    }
  }
}
