/**
 * Names and values of header fields in actions: what HTTP can carry (RFC 9110,
 * 5.1 and 5.5), each name once, and none of the edge's own.
 *
 * @module
 */
import type { PathStep } from "../../lib/diagnostic.ts";
import { type CheckedRule, rulePath } from "../checked_rule.ts";
import { describeValue } from "../../lib/describe_value.ts";
import { isEdgeField } from "../edge_fields.ts";
import { errorAt, type Finding } from "../finding.ts";
import { checkHeaderMap, checkName } from "../header_map.ts";

/** No space around it, and nothing beyond Latin-1; controls are reported elsewhere. */
const FIELD_VALUE = /^(?:[^\t ](?:.*[^\t ])?)?$/s;
const BEYOND_LATIN1 = /[^\p{ASCII}\u0080-\u00ff]/u;

function valueProblem(value: string): Omit<Finding, "severity" | "path"> | undefined {
  const shown = describeValue(value);
  if (!FIELD_VALUE.test(value)) {
    return {
      code: "bad_header_value",
      message: `Use a header value without space around it: it is ${shown}`,
    };
  }
  return !BEYOND_LATIN1.test(value) ? undefined : {
    code: "bad_header_value",
    message: `Use a header value of ASCII or Latin-1 characters: it is ${shown}`,
    hint: "Percent-encode other characters",
  };
}

/** Reports fields that no rule can set, and values that cannot be sent as they are written. */
function* checkSettable(
  headers: Readonly<Record<string, string>>,
  path: readonly PathStep[],
): Generator<Finding> {
  for (const [name, value] of Object.entries(headers)) {
    const at = [...path, name];
    if (isEdgeField(name.toLowerCase())) {
      yield errorAt(at, {
        code: "edge_header",
        message: `Leave the header "${name}" to the edge: no rule can set it`,
        on: "key",
      });
    }
    const problem = valueProblem(value);
    if (problem !== undefined) yield errorAt(at, problem);
  }
}

/** Reports header names and values that HTTP cannot carry, and fields of the edge's own. */
export function* checkHeaderFields(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  const path = [...rulePath(checked), "action", "headers"];
  if (action.type === "set_headers") {
    yield* checkHeaderMap(action.headers, path);
    yield* checkSettable(action.headers, path);
  } else if (action.type === "remove_headers") {
    for (const [index, name] of action.headers.entries()) {
      yield* checkName(name, [...path, index], "value");
    }
  }
}
