/**
 * Hosts in conditions (spec: "Condition", `host`).
 *
 * @module
 */
import { type CheckedRule, leavesOf } from "../checked_rule.ts";
import { describeValue } from "../describe_issues.ts";
import { errorAt, type Finding } from "../finding.ts";
import { canonicalHost } from "../host.ts";

/** Reports hosts that are no host names. */
export function* checkHosts(checked: CheckedRule): Generator<Finding> {
  for (const { leaf, path } of leavesOf(checked)) {
    if (leaf.host === undefined) continue;
    const result = canonicalHost(leaf.host);
    if ("host" in result) continue;
    const { wanted, hint } = result.problem;
    yield errorAt([...path, "host"], {
      code: "bad_host",
      message: `Use a host name ${wanted}: it is ${describeValue(leaf.host)}`,
      ...(hint === undefined ? {} : { hint }),
    });
  }
}
