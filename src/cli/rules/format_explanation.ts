/** @module Describes in readable text how the rules handle a request. */
import type { Explanation, RuleExplanation } from "../../rules/mod.ts";
import type { Palette } from "../terminal/color.ts";
import { printable } from "../terminal/format.ts";

function describeOutcome({ outcome }: RuleExplanation, colors: Palette): string {
  switch (outcome.state) {
    case "applied":
      return colors.green("applied");
    case "skipped":
      return colors.yellow(`matches, no effect: ${printable(outcome.reason)}`);
    case "disabled":
      return colors.dim("disabled");
    case "not_matched": {
      const { field, wanted, seen } = outcome.mismatch;
      return colors.dim(printable(`${field} must be ${wanted}, but is ${seen}`));
    }
  }
}

/** Formats one line for each rule by phase, then the result. */
export function formatExplanation(explanation: Explanation, colors: Palette): string {
  const { method, host, path, rawQuery } = explanation.request;
  const query = rawQuery === "" ? "" : `?${rawQuery}`;
  const lines = [colors.bold(printable(`${method} ${host}${path}${query}`))];
  let phase: string | undefined;
  for (const rule of explanation.rules) {
    if (rule.phase !== phase) lines.push("", colors.cyan(rule.phase));
    phase = rule.phase;
    lines.push(`  ${printable(rule.id)} (${rule.action}): ${describeOutcome(rule, colors)}`);
  }
  return [...lines, "", ...explanation.summary.map((line) => printable(line))].join("\n");
}
