/**
 * What is no error but most likely not meant.
 *
 * @module
 */
import { definitionOf } from "../actions/mod.ts";
import { actionPlaceOf, type CheckedRule } from "../rule_set/mod.ts";
import type { Finding } from "../finding.ts";
import { warnEmptyLists } from "./empty_lists.ts";
import { warnPaths } from "./paths.ts";

/** Reports what is doubtful about one rule by itself. */
export function* warnRule(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  yield* warnPaths(checked);
  yield* warnEmptyLists(checked);
  yield* definitionOf(action).warn?.(action, actionPlaceOf(checked)) ?? [];
}
