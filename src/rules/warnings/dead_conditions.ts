/** @module Warns about conditions that provably contradict themselves. */
import type { PathStep } from "../../lib/diagnostic.ts";
import type { Pace } from "../../lib/next_turn.ts";
import { type Finding, warningAt } from "../finding.ts";
import { conditionSetOf, deadPartsOf } from "../relations/condition_sets.ts";
import type { PlacedRule } from "../validate/gates.ts";
import { countValues, type FindingSteps } from "../work.ts";

function dead(path: readonly PathStep[], message: string): Finding {
  return warningAt(path, { code: "dead_condition", message, on: "key" });
}

/** Reports the conditions, and the items of `any`, that no request can meet. */
export function* warnDeadConditions(rules: readonly PlacedRule[], pace: Pace): FindingSteps {
  for (const { index, rule: { condition } } of rules) {
    if (pace.fills(countValues(condition))) yield;
    const { whole, branches } = deadPartsOf(conditionSetOf(condition));
    const path = ["rules", index, "condition"];
    if (whole) {
      yield dead(
        [...path, "not"],
        "Narrow `not`: it excludes everything that the condition matches, so the rule never matches",
      );
    } else if (branches.length > 0 && branches.length === condition.any?.length) {
      yield dead(
        [...path, "any"],
        "Change `any`: each of its items contradicts the rest of the condition, so the rule never matches",
      );
    } else {
      for (const branch of branches) {
        yield dead(
          [...path, "any", branch],
          "Remove the item: it contradicts the rest of the condition, so it never matches",
        );
      }
    }
  }
}
