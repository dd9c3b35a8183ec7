/**
 * @module Checks that HTTP can carry the names and values of header fields (RFC 9110, 5.1 and 5.5).
 */
import type { PathStep } from "../../lib/diagnostic.ts";
import { describeValue } from "../../lib/describe_value.ts";
import { errorAt, type Finding } from "../finding.ts";

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// deno-lint-ignore no-control-regex -- matches control characters on purpose
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/** Reports an invalid header name. */
export function* checkName(
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

/** Reports names and values that HTTP cannot carry, and duplicate names. */
export function* checkHeaderMap(
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

/** Returns the same fields, with their names in lower case. */
export function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
