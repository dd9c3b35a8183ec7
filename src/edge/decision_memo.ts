/**
 * What the rules said about a request, for the next one with the same target.
 *
 * @module
 */
import {
  type CompiledRules,
  type Decision,
  isDecidedByTarget,
  type RequestFacts,
} from "../rules/mod.ts";
import { RecentMap } from "./memo.ts";

/** Targets of a site that are remembered, twice as many at most. */
const CAPACITY = 1024;

/** Longest address that is remembered, in characters. */
const MAX_URL = 512;

/** What is known of all requests with one target. */
export interface KnownTarget {
  /** Normalized. */
  readonly path: string;
  readonly decision: Decision;
  /** What the cache keeps the answer under, once it was asked for one. */
  cacheKey: string | undefined;
}

export class DecisionMemo {
  readonly #targets = new RecentMap<KnownTarget>(CAPACITY);

  constructor(private readonly compiled: CompiledRules) {}

  /** By the address of a request that must be a `GET`, and that no proxy speaks for. */
  recall(url: string): KnownTarget | undefined {
    return this.#targets.get(url);
  }

  /** Keeps a decision, where all that the rules asked for is in the address. */
  remember(url: string, facts: RequestFacts, decision: Decision): KnownTarget | undefined {
    if (url.length > MAX_URL || !isDecidedByTarget(this.compiled, facts)) return undefined;
    const target: KnownTarget = { path: facts.path, decision, cacheKey: undefined };
    this.#targets.set(url, target);
    return target;
  }
}
