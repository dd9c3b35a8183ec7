/**
 * Warns of fields that no rule can remove.
 *
 * @module
 */
import { type CheckedRule, rulePath } from "../checked_rule.ts";
import { isEdgeField } from "../edge_fields.ts";
import { type Finding, warningAt } from "../finding.ts";

/** Reports `remove_headers` of the edge's own fields: they stay. */
export function* warnEdgeHeaders(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  if (action.type !== "remove_headers") return;
  for (const [index, name] of action.headers.entries()) {
    if (!isEdgeField(name.toLowerCase())) continue;
    yield warningAt([...rulePath(checked), "action", "headers", index], {
      code: "edge_header",
      message: `Leave the header "${name}" to the edge: it stays, whatever a rule removes`,
    });
  }
}
