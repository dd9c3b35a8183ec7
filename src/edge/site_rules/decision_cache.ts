/** @module Caches rule decisions for later requests with the same URL. */
import {
  type CompiledRules,
  type Decision,
  isSameForAllClients,
  type RequestFacts,
} from "../../rules/mod.ts";
import { RecentMap } from "../../lib/memo.ts";
import type { EdgeResponse } from "../response/edge_response.ts";

/**
 * Minimum number of decisions that are cached for all sites together. The cache can hold up to
 * twice as many.
 */
const CAPACITY = 8192;

/** Maximum length of a URL whose decision is cached, in characters. */
const MAX_URL = 512;

/**
 * Maximum size of a cached decision, as measured by `weightOf()`. Larger decisions are not cached.
 */
const MAX_WEIGHT = 2048;

/** Weight of each item in a decision's lists. */
const ITEM_WEIGHT = 32;

/**
 * Returns the approximate memory that a decision uses: the characters of its strings, and its
 * lists.
 */
function weightOf({ terminal, rewrite, headerEdits, hits, matched }: Decision): number {
  let weight = ITEM_WEIGHT * (headerEdits.length + hits.length + matched.length);
  if (terminal.type === "redirect") weight += terminal.location.length;
  if (rewrite?.type === "external") weight += rewrite.url.length;
  if (rewrite?.type === "internal") weight += rewrite.path.length + rewrite.query.length;
  for (const edit of headerEdits) if (edit.type === "set") weight += edit.value.length;
  return weight;
}

/** The decision for all requests with the same URL. */
export interface CachedDecision {
  /** Identifies the rule set that decided. */
  readonly rules: symbol;
  /** Normalized. */
  readonly path: string;
  readonly decision: Decision;
  /** The response's key in the HTTP cache; set on first use. */
  cacheKey: string | undefined;
  /** The client's scheme in `cacheKey`. The URL of a relayed request has the relay's scheme. */
  keyScheme: "http" | "https" | undefined;
  /** The redirect that the rules require; set on first use. */
  redirect: EdgeResponse | undefined;
}

/**
 * Rules with an identity. Cached decisions refer only to the identity, so they do not keep replaced
 * rules in memory.
 */
interface IdentifiedRules {
  readonly compiled: CompiledRules;
  /** Identifies this compiled rule set. */
  readonly identity: symbol;
}

/** One cache for all sites, so the memory is bounded for any number of sites. */
export class DecisionCache {
  readonly #entries = new RecentMap<CachedDecision>(CAPACITY);

  /** Finds the cached decision for the URL of a `GET` request that no trusted proxy forwarded. */
  get(url: string, { identity }: IdentifiedRules): CachedDecision | undefined {
    const entry = this.#entries.get(url);
    return entry?.rules === identity ? entry : undefined;
  }

  /** Caches a decision that is small enough and depends only on the URL. */
  put(
    url: string,
    { compiled, identity }: IdentifiedRules,
    { facts, decision }: { readonly facts: RequestFacts; readonly decision: Decision },
  ): CachedDecision | undefined {
    if (url.length > MAX_URL || weightOf(decision) > MAX_WEIGHT) return undefined;
    if (!isSameForAllClients(compiled, facts)) return undefined;
    const { path } = facts;
    const entry: CachedDecision = {
      rules: identity,
      path,
      decision,
      cacheKey: undefined,
      keyScheme: undefined,
      redirect: undefined,
    };
    this.#entries.set(url, entry);
    return entry;
  }
}
