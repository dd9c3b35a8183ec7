/** @module Checks that rule IDs are unique within the set. */
import { type CheckedRule, rulePath } from "../rule_set/checked_rule.ts";
import type { Pace } from "../../lib/next_turn.ts";
import { errorAt } from "../finding.ts";
import type { FindingSteps } from "../work.ts";

/** Reports each rule that has the ID of an earlier rule. */
export function* checkUniqueIds(rules: readonly CheckedRule[], pace: Pace): FindingSteps {
  const first = new Map<string, number>();
  for (const checked of rules) {
    if (pace.fills(1)) yield;
    const { id } = checked.rule;
    const earlier = first.get(id);
    if (earlier === undefined) {
      first.set(id, checked.index);
      continue;
    }
    yield errorAt([...rulePath(checked), "id"], {
      code: "duplicate_id",
      message: `Rule IDs must be unique: "${id}" is already used by rules[${earlier}]`,
    });
  }
}
