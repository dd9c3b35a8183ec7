/**
 * @module Joins header values as Cloudflare does, with a comma, if several matching paths set the
 * same header. In svc, a rule replaces any earlier value, so the rule for a later path must set all
 * of the joined values.
 */
import {
  conditionContains,
  conditionsDisjoint,
  conditionSetOf,
} from "../relations/condition_sets.ts";
import { normalizeRule } from "../rule_set/normalize.ts";
import type { Rule } from "../rule_set/types.ts";
import { cloudflareCondition, type HeaderBlock, type HeaderEntry } from "./header_block.ts";
import { type ImportCollector, NoEquivalent } from "./import_result.ts";
import { doubleBraces, namesOf, rewriteReferences, withoutCaptures } from "./path_pattern.ts";

/** Maximum number of paths that Cloudflare reads. */
export const CLOUDFLARE_MAX_BLOCKS = 100;

/** The extent to which requests for a later path also match an earlier path. */
type Relation = "none" | "some" | "all";

/** A rule for the requests that match both of two paths. */
interface SharedRule {
  readonly after: HeaderBlock;
  readonly rule: Rule;
}

const setOf = (block: HeaderBlock) => {
  const action = { type: "log" } as const;
  const rule: Rule = { id: block.id, condition: cloudflareCondition(block), action };
  return conditionSetOf(normalizeRule(rule).condition);
};

function relationOf(earlier: HeaderBlock, later: HeaderBlock): Relation {
  const [outer, inner] = [setOf(earlier), setOf(later)];
  if (conditionContains(outer, inner)) return "all";
  return conditionsDisjoint(outer, inner) ? "none" : "some";
}

interface Contribution {
  readonly block: HeaderBlock;
  readonly relation: Relation;
  readonly values: readonly string[];
}

/** Returns the values that earlier paths contribute to a later path's header. */
function contributionsTo(
  key: string,
  later: HeaderBlock,
  earlier: readonly HeaderBlock[],
): Contribution[] {
  let found: Contribution[] = [];
  for (const block of earlier) {
    const isRemoved = block.remove.some((name) => name.toLowerCase() === key);
    const entry = block.set.get(key);
    if (!isRemoved && entry === undefined) continue;
    const relation = relationOf(block, later);
    if (relation === "none") continue;
    if (isRemoved && relation === "some" && found.length > 0) {
      throw new NoEquivalent(
        `"${block.source.text.trim()}" removes it from some of these requests`,
      );
    }
    if (isRemoved) found = [];
    if (entry !== undefined) found.push({ block, relation, values: entry.values });
  }
  return later.remove.some((name) => name.toLowerCase() === key) ? [] : found;
}

/** Rejects values that contain captures, which have no meaning in another path's rule. */
function assertPlain({ block, values }: Contribution): void {
  const { used } = rewriteReferences(values.join(), namesOf(block.segments), doubleBraces);
  if (used.size === 0) return;
  throw new NoEquivalent(
    `The value is joined with one that contains a capture of "${block.source.text.trim()}"`,
  );
}

function sharedRule(
  later: HeaderBlock,
  other: HeaderBlock,
  { name, values }: { readonly name: string; readonly values: readonly string[] },
): SharedRule {
  const { text, used } = rewriteReferences(
    values.join(", "),
    namesOf(later.segments),
    doubleBraces,
  );
  const shared = cloudflareCondition({ ...other, segments: withoutCaptures(other.segments) });
  const condition = { ...cloudflareCondition(later, used), any: [shared] };
  const action = { type: "set_headers", headers: { [name]: text } } as const;
  const id = `${later.id}-with-${other.id}-${name.toLowerCase()}`;
  return { after: later, rule: { id, condition, action } };
}

/** Joins a path's header with the values from earlier paths. */
function joinEntry(
  key: string,
  later: HeaderBlock,
  earlier: readonly HeaderBlock[],
): { readonly entry: HeaderEntry; readonly shared: readonly SharedRule[] } | undefined {
  const entry = later.set.get(key);
  const found = contributionsTo(key, later, earlier);
  if (entry === undefined || found.length === 0) return undefined;
  if (key === "set-cookie") {
    throw new NoEquivalent("A rule sets one Set-Cookie header: several cannot be joined");
  }
  found.forEach(assertPlain);
  const partial = found.filter(({ relation }) => relation === "some");
  if (partial.length > 1) {
    const paths = partial.map(({ block }) => `"${block.source.text.trim()}"`).join(" and ");
    throw new NoEquivalent(
      `${paths} set it for some of these requests: write a rule for each case`,
    );
  }
  const valuesOf = (list: readonly Contribution[]) => list.flatMap(({ values }) => values);
  const always = found.filter(({ relation }) => relation === "all");
  const own = entry.values;
  const shared = partial.map(({ block }) =>
    sharedRule(later, block, { name: entry.name, values: [...valuesOf(found), ...own] })
  );
  return { entry: { ...entry, values: [...valuesOf(always), ...own] }, shared };
}

/**
 * Adds the values from earlier paths to each path's headers.
 *
 * @returns rules for the requests that match two partly overlapping paths, each with the path whose
 * rules it must follow
 */
export function joinHeaders(
  blocks: readonly HeaderBlock[],
  collector: ImportCollector,
): readonly SharedRule[] {
  const shared: SharedRule[] = [];
  // All headers are checked with their original values before any of them is changed.
  const joined: (readonly [HeaderBlock, string, HeaderEntry])[] = [];
  blocks.forEach((later, index) => {
    for (const key of [...later.set.keys()]) {
      try {
        const result = joinEntry(key, later, blocks.slice(0, index));
        if (result === undefined) continue;
        joined.push([later, key, result.entry]);
        shared.push(...result.shared);
      } catch (error) {
        if (!(error instanceof NoEquivalent)) throw error;
        refuse(later, key, { collector, reason: error.message });
      }
    }
  });
  for (const [block, key, entry] of joined) block.set.set(key, entry);
  return shared;
}

function refuse(
  block: HeaderBlock,
  key: string,
  { collector, reason }: { readonly collector: ImportCollector; readonly reason: string },
): void {
  for (const source of block.set.get(key)?.sources ?? []) {
    collector.refuse(source, reason);
    block.lines -= 1;
  }
  block.set.delete(key);
}
