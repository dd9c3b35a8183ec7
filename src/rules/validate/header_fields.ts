/**
 * Names and values of header fields, in conditions and in actions: what HTTP
 * can carry (RFC 9110, 5.1 and 5.5), each name once.
 *
 * @module
 */
import type { PathStep } from "../../lib/diagnostic.ts";
import { type CheckedRule, leavesOf, rulePath } from "../checked_rule.ts";
import { describeValue } from "../describe_issues.ts";
import { errorAt, type Finding } from "../finding.ts";

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// deno-lint-ignore no-control-regex -- control characters are what is sought
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

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

function* checkName(
  name: string,
  path: readonly PathStep[],
  on: "key" | "value" = "key",
): Generator<Finding> {
  if (!TOKEN.test(name)) {
    yield errorAt(path, {
      code: "bad_header_name",
      message: `Use a header name of letters, digits and !#$%&'*+-.^_\`|~: it is ${
        describeValue(name)
      }`,
      on,
    });
  }
}

function* checkMap(
  headers: Readonly<Record<string, string>>,
  path: readonly PathStep[],
): Generator<Finding> {
  const seen = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const at = [...path, name];
    yield* checkName(name, at);
    const earlier = seen.get(name.toLowerCase());
    if (earlier !== undefined) {
      yield errorAt(at, {
        code: "duplicate_header",
        message: `Name each header once: "${name}" and "${earlier}" are the same header`,
        on: "key",
      });
    }
    seen.set(name.toLowerCase(), name);
    if (CONTROL.test(value)) {
      yield errorAt(at, {
        code: "bad_header_value",
        message: `Use a header value without line breaks and control characters: it is ${
          describeValue(value)
        }`,
      });
    }
  }
}

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
  for (const { leaf, path } of leavesOf(checked)) {
    if (leaf.headers !== undefined) yield* checkMap(leaf.headers, [...path, "headers"]);
  }
  const { action } = checked.rule;
  const path = [...rulePath(checked), "action", "headers"];
  if (action.type === "set_headers") {
    yield* checkMap(action.headers, path);
    yield* checkFraming(Object.keys(action.headers), path);
  } else if (action.type === "remove_headers") {
    for (const [index, name] of action.headers.entries()) {
      yield* checkName(name, [...path, index], "value");
    }
  }
}
