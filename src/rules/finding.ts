/**
 * @module Problems in a rule set, and their conversion to diagnostics with a position and a rule.
 */
import { type Diagnostic, formatPath, type PathStep, type Severity } from "../lib/diagnostic.ts";
import { type SchemaProblem, valueAt } from "../lib/schema_problems.ts";
import type { TomlDocument } from "../lib/toml.ts";
import { MAX_DIAGNOSTICS } from "./limits.ts";

/** A problem: an error or a warning. */
export interface Finding extends SchemaProblem {
  readonly severity: Severity;
}

export function errorAt(
  path: readonly PathStep[],
  problem: Omit<Finding, "severity" | "path">,
): Finding {
  return { severity: "error", path, ...problem };
}

export function warningAt(
  path: readonly PathStep[],
  problem: Omit<Finding, "severity" | "path">,
): Finding {
  return { severity: "warning", path, ...problem };
}

/** Writes names as `a, b and c`. */
export function joinNames(names: readonly string[], conjunction = "and"): string {
  return names.length < 2
    ? names.join("")
    : `${names.slice(0, -1).join(", ")} ${conjunction} ${names.at(-1)}`;
}

function ruleIdOf(finding: Finding, ruleSet: unknown): string | undefined {
  const id = valueAt(ruleSet, ["rules", ruleIndexOf(finding), "id"]);
  return typeof id === "string" && id !== "" ? id : undefined;
}

function toDiagnostic(
  finding: Finding,
  ruleSet: unknown,
  document: TomlDocument | undefined,
): Diagnostic {
  const { severity, code, message, path, hint } = finding;
  const ruleId = ruleIdOf(finding, ruleSet);
  const position = finding.on === "key" ? document?.locateKey(path) : document?.locate(path);
  return {
    severity,
    code,
    message,
    path: formatPath(path.map((step) => typeof step === "string" ? step.slice(0, 200) : step)),
    ...(hint === undefined ? {} : { hint }),
    ...(position === undefined ? {} : { position }),
    ...(ruleId === undefined ? {} : { ruleId }),
  };
}

function comparePlaces(left: Diagnostic, right: Diagnostic): number {
  const [a, b] = [left.position, right.position];
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}

/**
 * Returns the index of the rule with the problem, or -1 if the problem does not belong to a single
 * rule.
 */
function ruleIndexOf({ path: [first, index] }: Finding): number {
  return first === "rules" && typeof index === "number" ? index : -1;
}

/**
 * Turns findings into diagnostics in the order of the text. A report has at most `MAX_DIAGNOSTICS`
 * entries, errors first, and states how many problems were omitted.
 */
export function toDiagnostics(
  findings: readonly Finding[],
  origin: { readonly ruleSet: unknown; readonly document?: TomlDocument },
): Diagnostic[] {
  const errors = findings.filter((finding) => finding.severity === "error");
  const warnings = findings.filter((finding) => finding.severity === "warning");
  const shown = [...errors, ...warnings].slice(0, MAX_DIAGNOSTICS);
  const diagnostics = shown
    .sort((left, right) => ruleIndexOf(left) - ruleIndexOf(right))
    .map((finding) => toDiagnostic(finding, origin.ruleSet, origin.document))
    .sort(comparePlaces);
  const hidden = findings.length - shown.length;
  if (hidden > 0) {
    diagnostics.push({
      severity: errors.length > 0 ? "error" : "warning",
      code: "too_many_problems",
      message: `Fix these problems first: ${hidden} more are not shown`,
      path: "",
    });
  }
  return diagnostics;
}
