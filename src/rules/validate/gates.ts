/**
 * Validation rule 5: a pipeline that takes requests from a broader one must
 * repeat the request gates which that one declares (`failure = "closed"`), or say
 * that it does not inherit them.
 *
 * A pipeline takes requests from another where its set of requests lies within
 * the other's, or where the two are not proven disjoint and it wins by
 * precedence. What cannot be decided by the other fields is decided by path and
 * host alone (design: "What the spec leaves open").
 *
 * @module
 */
import type { Pace, Steps } from "../../lib/next_turn.ts";
import { sortInSteps } from "../../lib/sort_in_steps.ts";
import { errorAt, type Finding, warningAt } from "../finding.ts";
import { literalPrefix } from "../pattern/mod.ts";
import {
  comparePrecedence,
  conditionContains,
  conditionsDisjoint,
  conditionSetOf,
  PlaceIndex,
  placesDisjoint,
  type Ranked,
} from "../relations/mod.ts";
import { cachePositionOf, isGate, type PipelineStep } from "../pipeline_steps.ts";
import type { RuntimePath, RuntimeRule } from "../rule_set/mod.ts";
import { comparisonCost, countValues, type FindingSteps, VISIT_COST } from "../work.ts";

/** Pairs of rules that are compared in full; beyond, path and host alone decide. */
const MAX_PAIRS = 200_000;

/** The gates of a pipeline; one object for all pipelines that have the same. */
interface Gates {
  readonly all: ReadonlySet<string>;
  /** Those that stand before the cache: they see every request. */
  readonly front: ReadonlySet<string>;
  /** The same gates as `all`, in order. */
  readonly list: readonly string[];
}

interface Pipeline extends Ranked {
  readonly id: string;
  readonly gates: Gates;
  readonly inheritGate: boolean;
}

/** A rule that is right by itself, with its index in the authored set. */
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

/** Takes the enabled pipelines out of a set. */
export function* pipelinesOf(rules: readonly PlacedRule[], pace: Pace): Steps<Pipeline[]> {
  const known = new Map<string, Gates>();
  const shared = (list: readonly string[], front: readonly string[]): Gates => {
    const key = JSON.stringify([list, front]);
    const gates = known.get(key) ?? { all: new Set(list), front: new Set(front), list };
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
  private pairs = 0;

  constructor(private readonly pace: Pace) {}

  /** True where a pair is not worth a look any more: only winners are judged by place alone. */
  isLeftOut(narrow: Pipeline, broad: Pipeline): boolean {
    return this.pairs > MAX_PAIRS && comparePrecedence(narrow, broad) >= 0;
  }

  /** True where `narrow` takes requests from `broad`. */
  takesFrom(narrow: Pipeline, broad: Pipeline): boolean {
    const wins = comparePrecedence(narrow, broad) < 0;
    if (this.isLeftOut(narrow, broad)) return false;
    this.pace.spend(comparisonCost(narrow.set.values, broad.set.values));
    if (narrow === broad || placesDisjoint(narrow.set, broad.set)) return false;
    if (++this.pairs > MAX_PAIRS) return wins;
    if (wins) return !conditionsDisjoint(narrow.set, broad.set);
    return conditionContains(broad.set, narrow.set) && !conditionContains(narrow.set, broad.set);
  }
}

function missingGate(narrow: Pipeline, broad: Pipeline, gate: string): Finding {
  return errorAt(["rules", narrow.index, "action", "steps"], {
    code: "missing_gate",
    message: `Repeat the request gate "${gate}" of the broader rule "${broad.id}": ` +
      `requests that this rule takes would pass without it`,
    hint: `Add { use = "${gate}", mode = "request", failure = "closed" }, ` +
      `or set inheritGate = false`,
  });
}

/** The gate is there, but a cached answer passes it. */
function gateBehindCache(narrow: Pipeline, broad: Pipeline, gate: string): Finding {
  return warningAt(["rules", narrow.index, "action", "steps"], {
    code: "gate_behind_cache",
    message: `Repeat the request gate "${gate}" of the broader rule "${broad.id}" before the ` +
      `cache: with cachePosition = "after" it does not guard cached answers`,
    hint: `Leave cachePosition out, or set it to "before"`,
  });
}

/** True where a gate of the broader pipeline is missing, or sees less than there. */
function isWeak(narrow: Pipeline, broad: Pipeline, gate: string): boolean {
  return !narrow.gates.all.has(gate) ||
    (broad.gates.front.has(gate) && !narrow.gates.front.has(gate));
}

function* weakGatesOf(
  narrow: Pipeline,
  lists: Iterable<readonly Pipeline[]>,
  { check, pace }: { readonly check: GateCheck; readonly pace: Pace },
): FindingSteps {
  const reported = new Set<string>();
  for (const list of lists) {
    for (const broad of list) {
      if (pace.fills(VISIT_COST)) yield;
      if (broad.gates === narrow.gates || check.isLeftOut(narrow, broad)) continue;
      const weak = broad.gates.list.filter((gate) =>
        !reported.has(gate) && isWeak(narrow, broad, gate)
      );
      if (weak.length === 0 || !check.takesFrom(narrow, broad)) continue;
      for (const gate of weak) {
        reported.add(gate);
        yield narrow.gates.all.has(gate)
          ? gateBehindCache(narrow, broad, gate)
          : missingGate(narrow, broad, gate);
      }
      if (reported.size >= MAX_REPORTED) return;
    }
  }
}

/** Most weak gates that are listed for one rule. */
const MAX_REPORTED = 8;

/** The pipelines without `override` whose paths begin with a given text, in that order. */
class PlainPipelines {
  private constructor(private readonly sorted: readonly Pipeline[]) {}

  static *of(pipelines: readonly Pipeline[]): Steps<PlainPipelines> {
    const plain = pipelines.filter((one) => !one.override);
    return new PlainPipelines(
      yield* sortInSteps(plain, (a, b) => a.set.path.literal < b.set.path.literal),
    );
  }

  *below(literal: string): Generator<readonly Pipeline[]> {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.sorted[middle]?.set.path.literal ?? "") < literal) low = middle + 1;
      else high = middle;
    }
    for (let one = this.sorted[low]; one?.set.path.literal.startsWith(literal);) {
      yield [one];
      one = this.sorted[++low];
    }
  }
}

function* othersOf(
  narrow: Pipeline,
  index: PlaceIndex<Pipeline>,
  plain: PlainPipelines,
): Generator<readonly Pipeline[]> {
  yield* index.listsMeeting(narrow.set);
  if (narrow.override) yield* plain.below(narrow.set.path.literal);
}

/**
 * Reports pipelines that let requests past a gate of a broader pipeline, and
 * warns of those that let cached answers past it.
 */
export function* checkGates(rules: readonly PlacedRule[], pace: Pace): FindingSteps {
  const pipelines = yield* pipelinesOf(rules, pace);
  const gated = pipelines.filter((one) => one.gates.all.size > 0);
  if (gated.length === 0) return;
  const index = new PlaceIndex<Pipeline>(pace);
  for (const one of gated) index.add(one);
  const plain = yield* PlainPipelines.of(gated);
  const check = new GateCheck(pace);
  for (const narrow of pipelines) {
    if (!narrow.inheritGate) continue;
    yield* weakGatesOf(narrow, othersOf(narrow, index, plain), { check, pace });
  }
}
