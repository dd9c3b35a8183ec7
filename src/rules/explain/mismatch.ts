/**
 * Explains in words why a condition does not match: the field, the expected and the actual value.
 *
 * @module
 */
import { type ConditionField, LeafMatcher } from "../compile/condition.ts";
import { type ConditionName, CONDITIONS } from "../conditions/conditions.ts";
import { MAX_LISTED } from "../conditions/lists.ts";
import type { RequestFacts } from "../request/facts.ts";
import type { RuntimeCondition, RuntimeLeaf } from "../rule_set/types.ts";

/** The first field of a condition that does not hold. */
export interface Mismatch {
  /** Such as `path`, `headers.x-key`, `any[0].host` or `not`. */
  readonly field: string;
  readonly wanted: string;
  readonly seen: string;
}

function fieldMismatch<F extends ConditionName>(
  field: F,
  leaf: RuntimeLeaf,
  facts: RequestFacts,
): Mismatch {
  const value = leaf[field];
  if (value === undefined) throw new TypeError(`The condition has no "${field}"`);
  const { name, wanted, seen } = CONDITIONS[field].explain(value, facts);
  return { field: name === undefined ? field : `${field}.${name}`, wanted, seen };
}

function anyMismatch(items: readonly RuntimeLeaf[], facts: RequestFacts): Mismatch {
  const reasons = items.slice(0, MAX_LISTED).map((leaf, index) => {
    const failing = new LeafMatcher(leaf).failing(facts);
    if (failing === undefined) return "";
    const { field, wanted, seen } = fieldMismatch(failing, leaf, facts);
    return `any[${index}].${field} wants ${wanted} and sees ${seen}`;
  });
  return { field: "any", wanted: `one of ${items.length} alternatives`, seen: reasons.join("; ") };
}

/** Puts into words why the field of the condition does not hold. */
export function describeMismatch(
  field: ConditionField,
  condition: RuntimeCondition,
  facts: RequestFacts,
): Mismatch {
  if (field === "any") return anyMismatch(condition.any ?? [], facts);
  if (field !== "not") return fieldMismatch(field, condition, facts);
  const fields = Object.keys(condition.not ?? {}).join(", ");
  return {
    field,
    wanted: "a request that does not match the condition in `not`",
    seen: fields === "" ? "it matches every request" : `it matches: ${fields}`,
  };
}
