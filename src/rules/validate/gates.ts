/**
 * @module Checks request gates: a pipeline that takes requests from a broader pipeline must repeat
 * that pipeline's gates (`failure = "closed"`), or declare that it does not inherit them.
 *
 * A pipeline takes requests from another pipeline if its requests are a subset, or if it takes
 * precedence and the two are not proven disjoint. If the other fields do not decide this, only path
 * and host count.
 */
import type { Pace, Steps } from "../../lib/next_turn.ts";
import { errorAt, type Finding, warningAt } from "../finding.ts";
import { literalPrefix } from "../pattern/glob.ts";
import { comparePrecedence } from "../relations/precedence.ts";
import {
  conditionContains,
  conditionsDisjoint,
  conditionSetOf,
  placesDisjoint,
} from "../relations/condition_sets.ts";
import { PlaceIndex } from "../relations/place_index.ts";
import type { RuntimePath, RuntimeRule } from "../rule_set/types.ts";
import { cachePositionOf, isGate, type PipelineStep } from "../pipeline_steps.ts";
import { comparisonCost, countValues, type FindingSteps, VISIT_COST } from "../work.ts";
import {
  beatenBy,
  below,
  type GatedPipelines,
  type Gates,
  GroupedLists,
  isOfConcern,
  losesTo,
  type Pipeline,
  plainByPath,
} from "./gate_groups.ts";

/**
 * Maximum number of pairs of rules to compare in full. Beyond this number, only path and host
 * decide.
 */
const MAX_PAIRS = 200_000;

/** A rule that is valid by itself, with its index in the authored set. */
export interface PlacedRule {
  readonly index: number;
  readonly rule: RuntimeRule;
}

const gatesOf = (steps: readonly PipelineStep[]): string[] =>
  steps.filter(isGate).map(({ use }) => use);

const frontGatesOf = (steps: readonly PipelineStep[]): string[] =>
  steps.filter(isGate).filter((step) => cachePositionOf(step) === "before").map(({ use }) => use);

function literalLength(path: RuntimePath | undefined): number {
  if (path === undefined) return 0;
  return path.type === "glob" ? literalPrefix(path.tokens ?? []).length : path.value.length;
}

/** Selects the enabled pipelines of a set. */
export function* pipelinesOf(rules: readonly PlacedRule[], pace: Pace): Steps<Pipeline[]> {
  const known = new Map<string, Gates>();
  const shared = (list: readonly string[], front: readonly string[]): Gates => {
    const key = JSON.stringify([list, front]);
    const gates = known.get(key) ?? { all: new Set(list), front: new Set(front) };
    known.set(key, gates);
    return gates;
  };
  const pipelines: Pipeline[] = [];
  for (const { index, rule } of rules) {
    const { action } = rule;
    if (action.type !== "pipeline" || !rule.enabled) continue;
    const { condition } = rule;
    if (pace.fills(countValues(rule))) yield;
    pipelines.push({
      index,
      id: rule.id,
      set: conditionSetOf(condition),
      override: action.override,
      inheritGate: action.inheritGate,
      isExact: condition.path?.type === "exact",
      literalLength: literalLength(condition.path),
      gates: shared(gatesOf(action.steps), frontGatesOf(action.steps)),
    });
  }
  return pipelines;
}

class GateCheck {
  #pairs = 0;

  readonly #pace: Pace;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /**
   * True if the maximum number of pairs has been compared. Then only the path and host are
   * compared, and only for pipelines that take precedence.
   */
  get isExhausted(): boolean {
    return this.#pairs > MAX_PAIRS;
  }

  /** Returns true if `narrow` takes requests from `broad`. */
  takesFrom(narrow: Pipeline, broad: Pipeline): boolean {
    const wins = comparePrecedence(narrow, broad) < 0;
    if (this.isExhausted && !wins) return false;
    this.#pace.spend(comparisonCost(narrow.set.values, broad.set.values));
    if (narrow === broad || placesDisjoint(narrow.set, broad.set)) return false;
    if (++this.#pairs > MAX_PAIRS) return wins;
    if (wins) return !conditionsDisjoint(narrow.set, broad.set);
    return conditionContains(broad.set, narrow.set) && !conditionContains(narrow.set, broad.set);
  }
}

function missingGate(narrow: Pipeline, broad: Pipeline, gate: string): Finding {
  return errorAt(["rules", narrow.index, "action", "steps"], {
    code: "missing_gate",
    message: `Repeat the request gate "${gate}" of the broader rule "${broad.id}": ` +
      `requests that this rule matches would pass without it`,
    hint: `Add { use = "${gate}", mode = "request", failure = "closed" }, ` +
      `or set inheritGate = false`,
  });
}

/** Returns the warning for a gate that exists but is bypassed by cached responses. */
function gateBehindCache(narrow: Pipeline, broad: Pipeline, gate: string): Finding {
  return warningAt(["rules", narrow.index, "action", "steps"], {
    code: "gate_behind_cache",
    message: `Repeat the request gate "${gate}" of the broader rule "${broad.id}" before the ` +
      `cache: with cachePosition = "after" it does not protect cached responses`,
    hint: `Leave cachePosition out, or set it to "before"`,
  });
}

/** Maximum number of weak gates to report for a rule. */
const MAX_REPORTED = 8;

interface Search {
  readonly index: PlaceIndex<Pipeline>;
  /** Pipelines without `override`, by path. */
  readonly plain: readonly Pipeline[];
  readonly check: GateCheck;
  readonly grouped: GroupedLists;
  readonly pace: Pace;
}

/** Finds a pipeline in a group that a rule takes requests from. */
function* broaderIn(
  narrow: Pipeline,
  members: Iterable<Pipeline>,
  { check, pace }: Search,
): Steps<Pipeline | undefined> {
  for (const broad of members) {
    if (pace.fills(VISIT_COST)) yield;
    if (check.takesFrom(narrow, broad)) return broad;
  }
}

/** Returns the groups that can contain broader pipelines, each with its relevant members. */
function* groupsFor(
  narrow: Pipeline,
  { index, plain, check, grouped, pace }: Search,
): Generator<readonly [GatedPipelines, Iterable<Pipeline>] | void> {
  for (const list of index.listsMeeting(narrow.set)) {
    if (!check.isExhausted) {
      for (const group of grouped.groupsOf(list)) yield [group, group.members];
      continue;
    }
    for (const group of yield* grouped.weakestFirst(list)) {
      if (!losesTo(group.members[0]!, narrow)) break;
      yield [group, beatenBy(narrow, group.members)];
    }
  }
  if (!narrow.override) return;
  for (const group of grouped.groupsOf(plain)) {
    if (pace.fills(VISIT_COST)) yield;
    yield [group, below(group.members, narrow.set.path.literal)];
  }
}

function* weakGatesOf(narrow: Pipeline, search: Search): FindingSteps {
  const reported = new Set<string>();
  for (const found of groupsFor(narrow, search)) {
    if (!found) {
      yield;
      continue;
    }
    const [group, members] = found;
    const { gate, inFront } = group;
    if (search.pace.fills(VISIT_COST)) yield;
    if (reported.has(gate) || !isOfConcern(group, narrow)) continue;
    const broad = yield* broaderIn(narrow, members, search);
    if (broad === undefined) continue;
    reported.add(gate);
    yield inFront ? gateBehindCache(narrow, broad, gate) : missingGate(narrow, broad, gate);
    if (reported.size >= MAX_REPORTED) return;
  }
}

/**
 * Reports pipelines that let requests bypass a gate of a broader pipeline, and warns about
 * pipelines that let cached responses bypass such a gate.
 */
export function* checkGates(rules: readonly PlacedRule[], pace: Pace): FindingSteps {
  const pipelines = yield* pipelinesOf(rules, pace);
  const gated = pipelines.filter((one) => one.gates.all.size > 0);
  if (gated.length === 0) return;
  const index = new PlaceIndex<Pipeline>(pace);
  for (const one of gated) index.add(one);
  const plain = yield* plainByPath(gated);
  const search: Search = {
    index,
    plain,
    pace,
    check: new GateCheck(pace),
    grouped: new GroupedLists(pace),
  };
  for (const narrow of pipelines) {
    if (narrow.inheritGate) yield* weakGatesOf(narrow, search);
  }
}
