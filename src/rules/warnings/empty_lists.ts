/**
 * Warns of lists of which no item can hold.
 *
 * @module
 */
import { type CheckedRule, type LeafCondition, leavesOfRule } from "../rule_set/mod.ts";
import { CONDITION_NAMES, METHODS_ALIAS } from "../conditions/mod.ts";
import { type Finding, warningAt } from "../finding.ts";

/** `method` and `methods` are one list. */
const hasMethods = ({ [METHODS_ALIAS]: alias = [], methods = [] }: LeafCondition): boolean =>
  alias.length + methods.length > 0;

/** Reports empty lists in conditions. */
export function* warnEmptyLists(checked: CheckedRule): Generator<Finding> {
  for (const { leaf, path } of leavesOfRule(checked)) {
    for (const field of [...CONDITION_NAMES, METHODS_ALIAS] as const) {
      const value = leaf[field];
      if (!Array.isArray(value) || value.length > 0) continue;
      if ((field === "methods" || field === METHODS_ALIAS) && hasMethods(leaf)) continue;
      yield warningAt([...path, field], {
        code: "empty_list",
        message: `Fill the list ${field} or leave it out: it is empty, and no request fits it`,
      });
    }
  }
}
