/** @module Groups pipelines by their gates, so each rule is checked only once per gate. */
import type { Pace, Steps } from "../../lib/next_turn.ts";
import { sortInSteps } from "../../lib/sort_in_steps.ts";
import { comparePrecedence, type Ranked } from "../relations/precedence.ts";
import { VISIT_COST } from "../work.ts";

/** The gates of a pipeline. Pipelines with the same gates share one object. */
export interface Gates {
  readonly all: ReadonlySet<string>;
  /** The steps before the cache, which see every request. */
  readonly front: ReadonlySet<string>;
}

export interface Pipeline extends Ranked {
  readonly id: string;
  readonly gates: Gates;
  readonly inheritGate: boolean;
}

/** The pipelines in a list that declare the same gate, to find the rules that should repeat it. */
export interface GatedPipelines {
  readonly gate: string;
  /**
   * Whether the members have the gate before the cache. If so, the group concerns rules that have
   * the gate after the cache.
   */
  readonly inFront: boolean;
  /** Pipelines that declare the gate, in order. */
  readonly members: Pipeline[];
}

export function isOfConcern({ gate, inFront }: GatedPipelines, { gates }: Pipeline): boolean {
  return inFront ? gates.all.has(gate) && !gates.front.has(gate) : !gates.all.has(gate);
}

/** Groups the pipelines in lists by their gates, and caches the groups of each list. */
export class GroupedLists {
  readonly #known = new Map<readonly Pipeline[], readonly GatedPipelines[]>();
  readonly #ranked = new Map<readonly Pipeline[], readonly GatedPipelines[]>();

  readonly #pace: Pace;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Returns the groups in a list, in the order in which their gates appear. */
  groupsOf(list: readonly Pipeline[]): readonly GatedPipelines[] {
    const known = this.#known.get(list);
    if (known !== undefined) return known;
    const groups = new Map<string, GatedPipelines>();
    const add = (one: Pipeline, gate: string, inFront: boolean) => {
      this.#pace.spend(VISIT_COST);
      const key = `${inFront} ${gate}`;
      const group = groups.get(key) ?? { gate, inFront, members: [] };
      groups.set(key, group);
      group.members.push(one);
    };
    for (const one of list) {
      for (const gate of one.gates.all) add(one, gate, false);
      for (const gate of one.gates.front) add(one, gate, true);
    }
    const all = [...groups.values()];
    this.#known.set(list, all);
    return all;
  }

  /**
   * Returns a list's groups. The members of each group are sorted from lowest to highest
   * precedence. The groups are sorted by their first members.
   */
  *weakestFirst(list: readonly Pipeline[]): Steps<readonly GatedPipelines[]> {
    const known = this.#ranked.get(list);
    if (known !== undefined) return known;
    const all: GatedPipelines[] = [];
    for (const { members, ...group } of this.groupsOf(list)) {
      all.push({ ...group, members: yield* sortInSteps(members, losesTo) });
    }
    const ranked = yield* sortInSteps(all, (a, b) => losesTo(a.members[0]!, b.members[0]!));
    this.#ranked.set(list, ranked);
    return ranked;
  }
}

export const losesTo = (a: Pipeline, b: Pipeline): boolean => comparePrecedence(a, b) > 0;

/** Yields the leading members that the rule takes precedence over. */
export function* beatenBy(narrow: Pipeline, members: readonly Pipeline[]): Generator<Pipeline> {
  for (const one of members) {
    if (!losesTo(one, narrow)) return;
    yield one;
  }
}

/** Returns the pipelines without `override`, by the literal start of their paths. */
export function plainByPath(pipelines: readonly Pipeline[]): Steps<Pipeline[]> {
  const plain = pipelines.filter((one) => !one.override);
  return sortInSteps(plain, (a, b) => a.set.path.literal < b.set.path.literal);
}

/** Yields the pipelines whose paths begin with a string, from a list that is sorted by path. */
export function* below(sorted: readonly Pipeline[], literal: string): Generator<Pipeline> {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]!.set.path.literal < literal) low = middle + 1;
    else high = middle;
  }
  for (let one = sorted[low]; one?.set.path.literal.startsWith(literal);) {
    yield one;
    one = sorted[++low];
  }
}
