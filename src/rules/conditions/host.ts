/** @module The `host` condition: the hostname, in lowercase punycode. */
import { describeValue } from "../../lib/describe_value.ts";
import { errorAt } from "../finding.ts";
import { canonicalHost, hostOrSame, type HostProblem } from "../request/host.ts";
import { text } from "../schema_parts.ts";
import type { ConditionType } from "./condition_type.ts";

/** Returns the problem with a host that a request can name but that no site can have. */
function problemOf(canonical: string): HostProblem | undefined {
  if (canonical.startsWith("[")) {
    return { wanted: "and no IPv6 address", hint: "A project's domain is never an IP address" };
  }
  const isBad = canonical.split(".").some((label) => label.startsWith("-") || label.endsWith("-"));
  return isBad ? { wanted: "whose parts begin and end with a letter or digit" } : undefined;
}

export const host: ConditionType<string, string> = {
  schema: text().describe("Hostname without scheme, port, path or userinfo"),
  cost: 2,
  isClientBound: false,
  *check(value, path) {
    const result = canonicalHost(value);
    const problem = "host" in result ? problemOf(result.host) : result.problem;
    if (problem === undefined) return;
    const { wanted, hint } = problem;
    yield errorAt(path, {
      code: "bad_host",
      message: `Use a hostname ${wanted}: it is ${describeValue(value)}`,
      hint,
    });
  },
  normalize: hostOrSame,
  compile: (value) => (facts) => facts.host === value,
  explain: (wanted, { host: seen }) => ({ wanted, seen }),
  sample: (value) => ({ host: value }),
  contains: (outer, inner) => outer === inner,
  disjoint: (a, b) => a !== b,
};
