/** @module The condition `host`: the host name, in lower-case punycode. */
import { describeValue } from "../../lib/describe_value.ts";
import { errorAt } from "../finding.ts";
import { canonicalHost, hostOrSame } from "../request/mod.ts";
import { text } from "../schema_parts.ts";
import type { ConditionType } from "./condition_type.ts";

export const host: ConditionType<string, string> = {
  schema: text().describe("Host name without scheme, port, path or userinfo"),
  cost: 2,
  isClientBound: false,
  *check(value, path) {
    const result = canonicalHost(value);
    if ("host" in result) return;
    const { wanted, hint } = result.problem;
    yield errorAt(path, {
      code: "bad_host",
      message: `Use a host name ${wanted}: it is ${describeValue(value)}`,
      ...(hint === undefined ? {} : { hint }),
    });
  },
  normalize: hostOrSame,
  compile: (value) => (facts) => facts.host === value,
  explain: (wanted, { host: seen }) => ({ wanted, seen }),
  sample: (value) => ({ host: value }),
  contains: (outer, inner) => outer === inner,
  disjoint: (a, b) => a !== b,
};
