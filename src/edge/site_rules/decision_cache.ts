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
} from "../../rules/mod.ts";
import { RecentMap } from "../../lib/memo.ts";
import type { EdgeResponse } from "../response/mod.ts";

/** Targets that are remembered, twice as many at most, over all sites. */
const CAPACITY = 8192;

/** Longest address that is remembered, in characters. */
const MAX_URL = 512;

/** Heaviest decision that is remembered, as `weightOf()` has it: rules can make one of any size. */
const MAX_WEIGHT = 2048;

/** What one thing in a list of a decision weighs. */
const ITEM_WEIGHT = 32;

/** About how much memory a decision takes: the characters of its texts, and its lists. */
function weightOf({ terminal, rewrite, headerEdits, hits, matched }: Decision): number {
  let weight = ITEM_WEIGHT * (headerEdits.length + hits.length + matched.length);
  if (terminal.type === "redirect") weight += terminal.location.length;
  if (rewrite?.type === "external") weight += rewrite.url.length;
  if (rewrite?.type === "internal") weight += rewrite.path.length + rewrite.query.length;
  for (const edit of headerEdits) if (edit.type === "set") weight += edit.value.length;
  return weight;
}

/** What is known of all requests with one target. */
export interface CachedDecision {
  /** Whose decision it is. */
  readonly rules: symbol;
  /** Normalized. */
  readonly path: string;
  readonly decision: Decision;
  /** What the cache keeps the answer under, once it was asked for one. */
  cacheKey: string | undefined;
  /** The answer of the rules themselves, once it was given. */
  redirect: EdgeResponse | undefined;
}

/** Rules as the memo knows them: it must not keep those alive that are replaced. */
export interface IdentifiedRules {
  readonly compiled: CompiledRules;
  /** Names these rules and no others. */
  readonly identity: symbol;
}

/** One for all sites, so that many sites together can not fill the memory. */
export class DecisionCache {
  readonly #entries = new RecentMap<CachedDecision>(CAPACITY);

  /** By the address of a request that must be a `GET`, and that no proxy speaks for. */
  get(url: string, { identity }: IdentifiedRules): CachedDecision | undefined {
    const entry = this.#entries.get(url);
    return entry?.rules === identity ? entry : undefined;
  }

  /** Keeps a decision that is not too heavy, where all that the rules asked for is in the address. */
  put(
    url: string,
    { compiled, identity }: IdentifiedRules,
    { facts, decision }: { readonly facts: RequestFacts; readonly decision: Decision },
  ): CachedDecision | undefined {
    if (url.length > MAX_URL || weightOf(decision) > MAX_WEIGHT) return undefined;
    if (!isDecidedByTarget(compiled, facts)) return undefined;
    const { path } = facts;
    const entry: CachedDecision = {
      rules: identity,
      path,
      decision,
      cacheKey: undefined,
      redirect: undefined,
    };
    this.#entries.set(url, entry);
    return entry;
  }
}
