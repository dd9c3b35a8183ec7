/** @module Describes a failed task for an agent, with tools that can help. Pure. */
import { type Answer, type NextCall, partOf, type ToolFailure } from "./tool.ts";

/** Maximum number of diagnostics and problems to show. A failure can have thousands. */
const MAX_SHOWN = 10;

/** Advice for error codes, in addition to their explanations. */
const HELPS: Readonly<Record<string, NextCall>> = {
  rules_invalid: { tool: "check_rules", arguments: {}, why: "once svc.rules.toml is corrected" },
  rules_test_failed: {
    tool: "explain_request",
    arguments: { method: "GET", url: "/" },
    why: "to see which rule decided: use the failed case's request",
  },
  deployment_failed: { tool: "explain_failure", arguments: {}, why: "to see its log" },
  build_failed: { tool: "explain_failure", arguments: {}, why: "to see the build log" },
  query_failed: { tool: "describe_database", arguments: {}, why: "to see the available names" },
  variables_missing: { tool: "list_variables", arguments: {}, why: "to see which are set" },
  not_found: { tool: "list_projects", arguments: {}, why: "to see the available names" },
};

const textOf = (value: unknown): string => typeof value === "string" ? value : "";

/** Describes where a diagnostic or problem is: a position in a file, a field, or both. */
function placeOf(found: Answer): string {
  const { line, column } = partOf(found, "position");
  const position = typeof line === "number" ? `line ${line}, column ${column}` : "";
  const place = [position, textOf(found.path)].filter((part) => part !== "").join(", ");
  return place === "" ? "" : `${place}: `;
}

function details(answer: Answer): string[] {
  const found = [answer.diagnostics, answer.problems]
    .flatMap((list) => Array.isArray(list) ? list as readonly Answer[] : []);
  const lines = found.slice(0, MAX_SHOWN).map((each) =>
    `- ${placeOf(each)}${textOf(each.message)}${each.hint ? ` (${textOf(each.hint)})` : ""}`
  );
  return found.length > MAX_SHOWN ? [...lines, `- and ${found.length - MAX_SHOWN} more`] : lines;
}

/** Describes a failure, where it is, and the calls that can help. */
export function describeFailure({ answer, code, message }: ToolFailure): {
  readonly text: string;
  readonly next: readonly NextCall[];
} {
  const help = HELPS[code];
  const commands = Array.isArray(answer.next) ? answer.next.map(textOf) : [];
  const text = [
    `${message} (${code})`,
    ...details(answer),
    ...answer.hint === undefined ? [] : [textOf(answer.hint)],
    ...commands.length === 0 ? [] : ["A person could run:", ...commands.map((line) => `  ${line}`)],
  ].join("\n");
  const next = [
    ...help === undefined ? [] : [help],
    { tool: "explain_code", arguments: { code }, why: "to see what the code means" },
  ];
  return { text, next };
}
