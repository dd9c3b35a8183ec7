/**
 * All that the schema cannot say: the spec's rules on captures, its server-side
 * validation rules, and what hosts, networks, headers and targets may be.
 *
 * @module
 */
import { definitionOf } from "../actions/mod.ts";
import { actionPlaceOf, type CheckedRule } from "../rule_set/mod.ts";
import type { Finding } from "../finding.ts";
import { checkCaptures } from "./captures.ts";
import { checkConditions } from "./conditions.ts";

/** Reports what is wrong with one rule by itself. */
export function* checkRule(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  yield* checkConditions(checked);
  yield* checkCaptures(checked);
  yield* definitionOf(action).check?.(action, actionPlaceOf(checked)) ?? [];
}
