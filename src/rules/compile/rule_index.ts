/**
 * @module Finds the rules that can match a request: by host, then by path, then by other fields in
 * a `Bucket`. Exact paths are in a map. Prefixes and the literal beginnings or ends of globs are in
 * radix trees.
 */
import type { Pace, Steps } from "../../lib/next_turn.ts";
import type { RequestFacts } from "../request/facts.ts";
import type { PathMatcher } from "../conditions/path.ts";
import { Bucket, type TakeRules } from "./bucket.ts";
import type { CompiledRule } from "./compiled_rule.ts";
import type { LeafMatcher } from "./condition.ts";
import { RadixTree } from "./radix_tree.ts";

/** The rules of one host, or of all hosts, by path. */
class PathIndex {
  readonly #buckets: Bucket[] = [];
  #exact: Map<string, Bucket> | undefined;
  #starts: RadixTree<Bucket> | undefined;
  #ends: RadixTree<Bucket> | undefined;
  #pathless: Bucket | undefined;

  add(path: PathMatcher | undefined, rule: CompiledRule): void {
    this.#bucketOf(path).add(rule);
  }

  *finish(pace: Pace): Steps<void> {
    for (const bucket of this.#buckets) yield* bucket.finish(pace);
  }

  visit(facts: RequestFacts, take: TakeRules): void {
    const { path } = facts;
    this.#pathless?.visit(facts, take);
    this.#exact?.get(path)?.visit(facts, take);
    if (this.#starts !== undefined) this.#starts.visit(path, (bucket) => bucket.visit(facts, take));
    if (this.#ends !== undefined) this.#ends.visit(path, (bucket) => bucket.visit(facts, take));
  }

  readonly #create = (): Bucket => {
    const bucket = new Bucket();
    this.#buckets.push(bucket);
    return bucket;
  };

  #bucketOf(path: PathMatcher | undefined): Bucket {
    if (path === undefined) return this.#pathless ??= this.#create();
    if (path.type === "exact") {
      this.#exact ??= new Map();
      const bucket = this.#exact.get(path.text) ?? this.#create();
      this.#exact.set(path.text, bucket);
      return bucket;
    }
    if (path.type === "glob" && path.suffix.length > path.glob.prefix.length) {
      this.#ends ??= new RadixTree("end");
      return this.#ends.getOrCreate(path.suffix, this.#create);
    }
    this.#starts ??= new RadixTree("start");
    const start = path.type === "glob" ? path.glob.prefix : path.text;
    return this.#starts.getOrCreate(start, this.#create);
  }
}

/**
 * Returns the host and path by which a rule is indexed. If the rule lacks one of them but all of
 * its `any` items have it, returns one position for each item.
 */
function places(rule: CompiledRule): readonly Pick<LeafMatcher, "host" | "path">[] {
  const { root, any } = rule.condition;
  if (any === undefined) return [root];
  const byHost = root.host === undefined && any.every((leaf) => leaf.host !== undefined);
  const byPath = root.path === undefined && any.every((leaf) => leaf.path !== undefined);
  if (!byHost && !byPath) return [root];
  return any.map((leaf) => ({
    host: byHost ? leaf.host : root.host,
    path: byPath ? leaf.path : root.path,
  }));
}

export class RuleIndex {
  readonly #anyHost = new PathIndex();
  readonly #byHost = new Map<string, PathIndex>();

  private constructor() {}

  /** Creates an index from rules in the order of evaluation. */
  static *of(rules: readonly CompiledRule[], pace: Pace): Steps<RuleIndex> {
    const all = new RuleIndex();
    for (const rule of rules) {
      const alternatives = places(rule);
      for (const { host, path } of alternatives) all.#indexOf(host).add(path, rule);
      if (pace.fills(alternatives.length)) yield;
    }
    yield* all.#anyHost.finish(pace);
    for (const index of all.#byHost.values()) yield* index.finish(pace);
    return all;
  }

  /** Reports the lists of all rules that can match. A rule can be in several lists. */
  visit(facts: RequestFacts, take: TakeRules): void {
    this.#anyHost.visit(facts, take);
    this.#byHost.get(facts.host)?.visit(facts, take);
  }

  #indexOf(host: string | undefined): PathIndex {
    if (host === undefined) return this.#anyHost;
    const index = this.#byHost.get(host) ?? new PathIndex();
    this.#byHost.set(host, index);
    return index;
  }
}
