/**
 * Networks in conditions (spec: "Condition", `sourceIpCidrs`).
 *
 * @module
 */
import { type CheckedRule, leavesOf } from "../checked_rule.ts";
import { describeValue } from "../describe_issues.ts";
import { errorAt, type Finding } from "../finding.ts";
import { canonicalNetwork } from "../network.ts";

/** Reports texts that are neither an address nor a network. */
export function* checkNetworks(checked: CheckedRule): Generator<Finding> {
  for (const { leaf, path } of leavesOf(checked)) {
    for (const [index, text] of (leaf.sourceIpCidrs ?? []).entries()) {
      const result = canonicalNetwork(text);
      if ("network" in result) continue;
      yield errorAt([...path, "sourceIpCidrs", index], {
        code: "bad_network",
        message: `Use an IPv4 or IPv6 network: it is ${describeValue(text)} (${result.problem})`,
        hint: "Write it as 203.0.113.0/24, 2001:db8::/32, or one address alone",
      });
    }
  }
}
