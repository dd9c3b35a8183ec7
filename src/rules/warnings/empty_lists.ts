/**
 * Warns of lists of which no item can hold.
 *
 * @module
 */
import { type CheckedRule, leavesOf } from "../checked_rule.ts";
import { type Finding, warningAt } from "../finding.ts";
import type { LeafCondition } from "../types.ts";

const LISTS = ["methods", "method", "geo", "asn", "sourceIpCidrs"] as const;

/** `method` and `methods` are one list. */
const hasMethods = ({ method = [], methods = [] }: LeafCondition): boolean =>
  method.length + methods.length > 0;

/** Reports empty lists in conditions. */
export function* warnEmptyLists(checked: CheckedRule): Generator<Finding> {
  for (const { leaf, path } of leavesOf(checked)) {
    for (const field of LISTS) {
      if (leaf[field]?.length !== 0) continue;
      if (field.startsWith("method") && hasMethods(leaf)) continue;
      yield warningAt([...path, field], {
        code: "empty_list",
        message: `Fill the list ${field} or leave it out: it is empty, and no request fits it`,
      });
    }
  }
}
