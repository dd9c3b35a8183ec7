/**
 * @module Indexes rules by the literal start of their paths, then by their host. Finds the rules
 * that could cover a given rule without checking all other rules.
 */
import type { Pace } from "../../lib/next_turn.ts";
import { VISIT_COST } from "../work.ts";
import type { ConditionSet } from "./condition_sets.ts";

interface Bucket<T> {
  readonly anyHost: T[];
  readonly byHost: Map<string, T[]>;
}

/** Rules by literal path start and host, in the order in which they were added. */
export class PlaceIndex<T extends { readonly set: ConditionSet }> {
  readonly #exact = new Map<string, Bucket<T>>();
  readonly #open = new Map<string, Bucket<T>>();
  /** The distinct lengths of the literals in `#open`, ascending. */
  readonly #lengths: number[] = [];

  readonly #pace: Pace;

  /** `pace` counts the lookups. */
  constructor(pace: Pace) {
    this.#pace = pace;
  }

  add(entry: T): void {
    const { kind, literal } = entry.set.path;
    const map = kind === "exact" ? this.#exact : this.#open;
    let bucket = map.get(literal);
    if (bucket === undefined) {
      bucket = { anyHost: [], byHost: new Map() };
      map.set(literal, bucket);
      if (kind !== "exact") this.#addLength(literal.length);
    }
    const host = entry.set.leaf.host;
    const entries = host === undefined ? bucket.anyHost : bucket.byHost.get(host);
    if (entries === undefined) bucket.byHost.set(host ?? "", [entry]);
    else entries.push(entry);
  }

  #addLength(length: number): void {
    const at = this.#lengths.findIndex((known) => known >= length);
    if (this.#lengths[at] === length) return;
    this.#lengths.splice(at < 0 ? this.#lengths.length : at, 0, length);
  }

  *#bucketsAbove(set: ConditionSet): Generator<Bucket<T>> {
    const { literal } = set.path;
    const same = this.#exact.get(literal);
    if (same !== undefined) yield same;
    for (const length of this.#lengths) {
      if (length > literal.length) return;
      this.#pace.spend(VISIT_COST);
      const bucket = this.#open.get(literal.slice(0, length));
      if (bucket !== undefined) yield bucket;
    }
  }

  /**
   * Yields the lists of rules that could match all requests in `set`. The path and host of these
   * rules are the same or wider.
   */
  *listsAbove(set: ConditionSet): Generator<readonly T[]> {
    const { host } = set.leaf;
    for (const bucket of this.#bucketsAbove(set)) {
      yield bucket.anyHost;
      const same = host === undefined ? undefined : bucket.byHost.get(host);
      if (same !== undefined) yield same;
    }
  }

  /** Yields the lists of rules whose path is the same or wider, and whose host may be the same. */
  *listsMeeting(set: ConditionSet): Generator<readonly T[]> {
    const { host } = set.leaf;
    for (const bucket of this.#bucketsAbove(set)) {
      yield bucket.anyHost;
      if (host !== undefined) yield bucket.byHost.get(host) ?? [];
      else yield* bucket.byHost.values();
    }
  }
}
