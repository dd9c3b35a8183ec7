/**
 * Actions that this edge can not perform, so that a set which uses them is
 * refused instead of being served in part.
 *
 * @module
 */
import type { RuntimeRule, RuntimeRuleSet } from "../rules/mod.ts";

export interface UnsupportedAction {
  readonly ruleId: string;
  /** The action's type; `external rewrite` for a rewrite to another site. */
  readonly action: string;
}

function unsupportedAction({ action }: RuntimeRule): string | undefined {
  switch (action.type) {
    case "cache":
    case "bypass_cache":
    case "pipeline":
      return action.type;
    case "rewrite":
      return action.external ? "external rewrite" : undefined;
    default:
      return undefined;
  }
}

/** Lists the enabled rules whose action needs machinery that the edge does not have. */
export function unsupportedActions(ruleSet: RuntimeRuleSet): UnsupportedAction[] {
  return ruleSet.rules.flatMap((rule) => {
    const action = rule.enabled ? unsupportedAction(rule) : undefined;
    return action === undefined ? [] : [{ ruleId: rule.id, action }];
  });
}
