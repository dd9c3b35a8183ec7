/**
 * Validation rule 5: a pipeline that takes requests from a broader one must
 * repeat the request gates which that one declares (`failure = "closed"`), or say
 * that it does not inherit them.
 *
 * A pipeline takes requests from another where its set of requests lies within
 * the other's, or where the two are not proven disjoint and it wins by
 * precedence. What can not be decided by the other fields is decided by path and
 * host alone (design: "What the spec leaves open").
 *
 * @module
 */
import { errorAt, type Finding, warningAt } from "../finding.ts";
import { literalPrefix } from "../glob.ts";
import {
  conditionContains,
  conditionsDisjoint,
  conditionSetOf,
  placesDisjoint,
} from "../relations/condition_sets.ts";
import { PlaceIndex } from "../relations/place_index.ts";
import { comparePrecedence, type Ranked } from "../relations/precedence.ts";
import { isHandleStep } from "../schema.ts";
import { cachePositionOf } from "../running_order.ts";
import type { FunctionStep, PipelineStep, RuntimePath, RuntimeRule } from "../types.ts";

/** Pairs of rules that are compared in full; beyond, path and host alone decide. */
const MAX_PAIRS = 200_000;

interface Pipeline extends Ranked {
  readonly id: string;
  readonly gates: ReadonlySet<string>;
  /** The gates that stand before the cache: they see every request. */
  readonly frontGates: ReadonlySet<string>;
  /** The same gates as `gates`, in order. */
  readonly gateList: readonly string[];
  readonly inheritGate: boolean;
}

/** A rule that is right by itself, with its index in the authored set. */
export interface PlacedRule {
  readonly index: number;
  readonly rule: RuntimeRule;
}

const isGate = (step: PipelineStep): step is FunctionStep =>
  !isHandleStep(step) && step.mode === "request" && step.failure === "closed";

const gatesOf = (steps: readonly PipelineStep[]): string[] =>
  steps.filter(isGate).map(({ use }) => use);

const frontGatesOf = (steps: readonly PipelineStep[]): string[] =>
  steps.filter(isGate).filter((step) => cachePositionOf(step) === "before").map(({ use }) => use);

function literalLength(path: RuntimePath | undefined): number {
  if (path === undefined) return 0;
  return path.type === "glob" ? literalPrefix(path.tokens ?? []).length : path.value.length;
}

/** Takes the enabled pipelines out of a set. */
export function pipelinesOf(rules: readonly PlacedRule[]): Pipeline[] {
  return rules.flatMap(({ index, rule }) => {
    const { action, condition } = rule;
    if (action.type !== "pipeline" || !rule.enabled) return [];
    const gateList = gatesOf(action.steps);
    return [{
      index,
      id: rule.id,
      set: conditionSetOf(condition),
      override: action.override,
      inheritGate: action.inheritGate,
      isExact: condition.path?.type === "exact",
      literalLength: literalLength(condition.path),
      gates: new Set(gateList),
      frontGates: new Set(frontGatesOf(action.steps)),
      gateList,
    }];
  });
}

class GateCheck {
  private pairs = 0;

  /** True where `narrow` takes requests from `broad`. */
  takesFrom(narrow: Pipeline, broad: Pipeline): boolean {
    const wins = comparePrecedence(narrow, broad) < 0;
    if (!wins && this.pairs > MAX_PAIRS) return false;
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
  return !narrow.gates.has(gate) ||
    (broad.frontGates.has(gate) && !narrow.frontGates.has(gate));
}

function* weakGatesOf(
  narrow: Pipeline,
  others: Iterable<Pipeline>,
  check: GateCheck,
): Generator<Finding> {
  const reported = new Set<string>();
  for (const broad of others) {
    const weak = broad.gateList.filter((gate) =>
      !reported.has(gate) && isWeak(narrow, broad, gate)
    );
    if (weak.length === 0 || !check.takesFrom(narrow, broad)) continue;
    for (const gate of weak) {
      reported.add(gate);
      yield narrow.gates.has(gate)
        ? gateBehindCache(narrow, broad, gate)
        : missingGate(narrow, broad, gate);
    }
    if (reported.size >= MAX_REPORTED) return;
  }
}

/** Most weak gates that are listed for one rule. */
const MAX_REPORTED = 8;

/** The pipelines without `override` whose paths begin with a given text, in that order. */
class PlainPipelines {
  private readonly sorted: readonly Pipeline[];

  constructor(pipelines: readonly Pipeline[]) {
    this.sorted = pipelines.filter((one) => !one.override)
      .toSorted((a, b) => compareTexts(a.set.path.literal, b.set.path.literal));
  }

  *below(literal: string): Generator<Pipeline> {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.sorted[middle]?.set.path.literal ?? "") < literal) low = middle + 1;
      else high = middle;
    }
    for (let one = this.sorted[low]; one?.set.path.literal.startsWith(literal);) {
      yield one;
      one = this.sorted[++low];
    }
  }
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function* othersOf(
  narrow: Pipeline,
  index: PlaceIndex<Pipeline>,
  plain: PlainPipelines,
): Generator<Pipeline> {
  yield* index.meeting(narrow.set);
  if (narrow.override) yield* plain.below(narrow.set.path.literal);
}

/**
 * Reports pipelines that let requests past a gate of a broader pipeline, and
 * warns of those that let cached answers past it.
 */
export function* checkGates(rules: readonly PlacedRule[]): Generator<Finding> {
  const pipelines = pipelinesOf(rules);
  const gated = pipelines.filter((one) => one.gates.size > 0);
  if (gated.length === 0) return;
  const index = new PlaceIndex<Pipeline>();
  for (const one of gated) index.add(one);
  const plain = new PlainPipelines(gated);
  const check = new GateCheck();
  for (const narrow of pipelines) {
    if (!narrow.inheritGate) continue;
    yield* weakGatesOf(narrow, othersOf(narrow, index, plain), check);
  }
}
