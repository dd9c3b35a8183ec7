/**
 * @module The `cache` action: the lifetime of the cached response, and its variants. The action
 * must vary by every client property in its condition. Otherwise, one visitor's response would be
 * served to another visitor who does not meet the condition.
 */
import * as z from "zod";
import { CONDITION_NAMES, type ConditionName, CONDITIONS } from "../conditions/conditions.ts";
import {
  type LeafCondition,
  leavesOf,
  type PlacedLeaf,
  type RuntimeCondition,
} from "../conditions/condition.ts";
import type { CacheDecision, VaryNames } from "../decision.ts";
import { errorAt, type Finding, joinNames } from "../finding.ts";
import { choice, integer, list, MAX_SAFE } from "../schema_parts.ts";
import { VARY_DIMENSIONS, type VaryDimension } from "../vocabulary.ts";
import { type ActionDefinition, effectOf, NO_TEMPLATES } from "./action_definition.ts";

interface CacheAction {
  readonly type: "cache";
  readonly ttlSeconds: number;
  readonly swrSeconds?: number;
  readonly vary?: readonly VaryDimension[];
}

/** The condition that each dimension covers. */
const FIELD_OF = Object.fromEntries(
  CONDITION_NAMES.flatMap((field) => {
    const { vary } = CONDITIONS[field];
    return vary === undefined ? [] : [[vary, field]];
  }),
) as Readonly<Record<VaryDimension, ConditionName>>;

function dependsOn(leaf: LeafCondition, dimension: VaryDimension): boolean {
  const value = leaf[FIELD_OF[dimension]];
  return value !== undefined && Object.keys(value).length > 0;
}

/** Conditions on the client that no dimension covers, so caches cannot separate the responses. */
const WITHOUT_DIMENSION = CONDITION_NAMES.filter((field) =>
  CONDITIONS[field].isClientBound && CONDITIONS[field].vary === undefined
);

function* checkWithoutDimension(
  leaves: readonly PlacedLeaf[],
): Generator<Finding> {
  for (const { leaf, path } of leaves) {
    for (const field of WITHOUT_DIMENSION) {
      if (leaf[field] === undefined) continue;
      yield errorAt([...path, field], {
        code: "unvaried_condition",
        message:
          `Remove ${field} from the condition: a cache cannot vary by it, so it would send ` +
          "one visitor's response to others",
        hint: `A rule with bypass_cache before this one can have ${field} in its condition`,
      });
    }
  }
}

/** Returns the header, cookie and query names in a condition, without duplicates. */
function askedNames(condition: RuntimeCondition): VaryNames {
  const leaves = [condition, ...condition.any ?? [], ...condition.not ? [condition.not] : []];
  const names = (field: "headers" | "cookies" | "query") => [
    ...new Set(leaves.flatMap((leaf) => Object.keys(leaf[field] ?? {}))),
  ];
  const headers = [...new Set(names("headers").map((name) => name.toLowerCase()))];
  return { headers, cookies: names("cookies"), query: names("query") };
}

export const cache: ActionDefinition<CacheAction, Required<CacheAction>> = {
  schema: z.strictObject({
    type: z.literal("cache"),
    ttlSeconds: integer(1, MAX_SAFE),
    swrSeconds: integer(0, MAX_SAFE).optional(),
    vary: list(choice(VARY_DIMENSIONS)).optional(),
  }),
  phase: "cache",
  isClientBound: false,
  templates: NO_TEMPLATES,
  /** Reports the dimensions that the condition requires but `vary` does not list. */
  *check({ vary = [] }, { path, condition, isComplete }) {
    const leaves = leavesOf(condition, [...path.slice(0, -1), "condition"]);
    yield* checkWithoutDimension(leaves);
    if (!isComplete) return;
    const missing = VARY_DIMENSIONS.filter((dimension) =>
      !vary.includes(dimension) && leaves.some(({ leaf }) => dependsOn(leaf, dimension))
    );
    if (missing.length === 0) return;
    const quoted = missing.map((dimension) => `"${dimension}"`);
    const fields = missing.map((dimension) => FIELD_OF[dimension]);
    const all = VARY_DIMENSIONS.filter((dimension) =>
      vary.includes(dimension) || missing.includes(dimension)
    );
    yield errorAt([...path, "vary"], {
      code: "missing_vary",
      message: `Add ${joinNames(quoted)} to vary: the condition depends on ${joinNames(fields)}`,
      hint: `vary = [${all.map((dimension) => `"${dimension}"`).join(", ")}]`,
    });
  },
  normalize({ type, ttlSeconds, swrSeconds = 0, vary = [] }) {
    const canonical = VARY_DIMENSIONS.filter((dimension) => vary.includes(dimension));
    return { type, ttlSeconds, swrSeconds, vary: canonical };
  },
  endsPhase: () => true,
  closes: () => undefined,
  compile(action, { ref, condition }) {
    const decision: CacheDecision = { ...action, varyNames: askedNames(condition), rule: ref };
    return effectOf((draft) => {
      draft.cache = decision;
      draft.closeThrough("cache");
    });
  },
};
