/**
 * @module Finds rules that depend on more than method and URL, because the decisions of all other
 * rules are cached.
 */
import { definitionOf } from "../actions/actions.ts";
import { CONDITION_NAMES, CONDITIONS } from "../conditions/conditions.ts";
import type { RuntimeCondition, RuntimeLeaf, RuntimeRule } from "../rule_set/types.ts";
import type { CompiledRule } from "./compiled_rule.ts";
import { ConditionMatcher } from "./condition.ts";

function asksForClient(leaf: RuntimeLeaf): boolean {
  return CONDITION_NAMES.some((field) =>
    leaf[field] !== undefined && CONDITIONS[field].isClientBound
  );
}

/**
 * Returns whether a rule can decide differently about requests with the same method, host, path and
 * query.
 */
export function isClientBound({ action, condition }: RuntimeRule): boolean {
  const { any = [], not } = condition;
  return definitionOf(action).isClientBound || asksForClient(condition) ||
    any.some(asksForClient) ||
    (not !== undefined && asksForClient(not));
}

function placeOf({ host, path }: RuntimeLeaf): RuntimeLeaf {
  return {
    ...(host === undefined ? {} : { host }),
    ...(path === undefined ? {} : { path }),
  };
}

/**
 * Returns the rule with only the host and path of its condition, to find the requests that it could
 * apply to.
 */
export function atItsPlace(rule: CompiledRule, { any, ...root }: RuntimeCondition): CompiledRule {
  const condition = new ConditionMatcher({
    ...placeOf(root),
    ...(any === undefined ? {} : { any: any.map(placeOf) }),
  });
  return { ...rule, condition };
}
