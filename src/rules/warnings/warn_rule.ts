/**
 * Warns about valid but probably mistaken parts of a rule.
 *
 * @module
 */
import { definitionOf } from "../actions/actions.ts";
import { CONDITION_NAMES } from "../conditions/conditions.ts";
import { METHODS_ALIAS } from "../conditions/methods.ts";
import { actionPlaceOf, type CheckedRule, leavesOfRule } from "../rule_set/checked_rule.ts";
import type { LeafCondition } from "../rule_set/types.ts";
import { type Finding, warningAt } from "../finding.ts";
import { warnPaths } from "./paths.ts";

/** `method` and `methods` are one list. */
const hasMethods = ({ [METHODS_ALIAS]: alias = [], methods = [] }: LeafCondition): boolean =>
  alias.length + methods.length > 0;

/** Reports empty lists in conditions: no request matches them. */
function* warnEmptyLists(checked: CheckedRule): Generator<Finding> {
  for (const { leaf, path } of leavesOfRule(checked)) {
    for (const field of [...CONDITION_NAMES, METHODS_ALIAS] as const) {
      const value = leaf[field];
      if (!Array.isArray(value) || value.length > 0) continue;
      if ((field === "methods" || field === METHODS_ALIAS) && hasMethods(leaf)) continue;
      yield warningAt([...path, field], {
        code: "empty_list",
        message: `Fill the list ${field} or remove it: it is empty, so no request matches`,
      });
    }
  }
}

/** Reports what is doubtful about a single rule. */
export function* warnRule(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  yield* warnPaths(checked);
  yield* warnEmptyLists(checked);
  yield* definitionOf(action).warn?.(action, actionPlaceOf(checked)) ?? [];
}
