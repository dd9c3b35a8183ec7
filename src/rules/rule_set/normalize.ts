/** @module Converts an authored rule set to the edge's form. */
import { definitionOf } from "../actions/actions.ts";
import {
  CONDITION_NAMES,
  type ConditionName,
  CONDITIONS,
  type NormalConditions,
  type RawConditions,
} from "../conditions/conditions.ts";
import { METHODS_ALIAS } from "../conditions/methods.ts";
import type {
  Condition,
  LeafCondition,
  Rule,
  RuleSet,
  RuntimeCondition,
  RuntimeLeaf,
  RuntimeRule,
  RuntimeRuleSet,
} from "./types.ts";

/** Omits undefined fields, so rules with the same meaning become equal objects. */
function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** Returns the leaf with `method` merged into `methods`. */
function withoutAlias({ [METHODS_ALIAS]: alias, ...leaf }: LeafCondition): Partial<RawConditions> {
  if (alias === undefined) return leaf;
  return { ...leaf, methods: [...leaf.methods ?? [], ...alias] };
}

function normalizeField<F extends ConditionName>(
  field: F,
  value: RawConditions[F] | undefined,
): NormalConditions[F] | undefined {
  return value === undefined ? undefined : CONDITIONS[field].normalize(value);
}

function normalizeLeaf(leaf: LeafCondition): RuntimeLeaf {
  const raw = withoutAlias(leaf);
  return defined(
    Object.fromEntries(
      CONDITION_NAMES.map((field) => [field, normalizeField(field, raw[field])]),
    ) as RuntimeLeaf,
  );
}

function normalizeCondition(condition: Condition): RuntimeCondition {
  return defined({
    ...normalizeLeaf(condition),
    any: condition.any?.map(normalizeLeaf),
    not: condition.not && normalizeLeaf(condition.not),
  });
}

/** Normalizes one rule that has passed validation. */
export function normalizeRule(rule: Rule): RuntimeRule {
  return defined({
    id: rule.id,
    name: rule.name,
    enabled: rule.enabled ?? true,
    condition: normalizeCondition(rule.condition ?? {}),
    action: definitionOf(rule.action).normalize(rule.action),
  });
}

/**
 * Normalizes a rule set that has passed validation. Applying it twice has no further effect. Keeps
 * the order of the rules.
 */
export function normalizeRules(ruleSet: RuleSet): RuntimeRuleSet {
  return defined({
    schemaVersion: ruleSet.schemaVersion,
    source: ruleSet.source && defined({
      origin: ruleSet.source.origin,
      revisionId: ruleSet.source.revisionId,
    }),
    rules: ruleSet.rules.map(normalizeRule),
  });
}
