/**
 * Header fields that actions set and remove: what HTTP can carry, and what is
 * not the edge's own.
 *
 * @module
 */
import type { PathStep } from "../../lib/diagnostic.ts";
import { type CheckedRule, rulePath } from "../checked_rule.ts";
import { errorAt, type Finding } from "../finding.ts";
import { checkHeaderMap, checkName } from "../header_map.ts";

/** Fields by which the edge itself frames a message; a rule that set them could split it. */
const FRAMING = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function* checkFraming(names: readonly string[], path: readonly PathStep[]): Generator<Finding> {
  for (const name of names) {
    if (!FRAMING.has(name.toLowerCase())) continue;
    yield errorAt([...path, name], {
      code: "framing_header",
      message: `Leave the header "${name}" to the edge: it frames the message`,
      on: "key",
    });
  }
}

/** Reports header names and values that HTTP can not carry. */
export function* checkHeaderFields(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  const path = [...rulePath(checked), "action", "headers"];
  if (action.type === "set_headers") {
    yield* checkHeaderMap(action.headers, path);
    yield* checkFraming(Object.keys(action.headers), path);
  } else if (action.type === "remove_headers") {
    for (const [index, name] of action.headers.entries()) {
      yield* checkName(name, [...path, index], "value");
    }
  }
}
