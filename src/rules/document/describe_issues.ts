/** @module Describes the problems that zod finds in a rule set. */
import type { PathStep } from "../../lib/diagnostic.ts";
import {
  describeIssues as describeIssuesOf,
  type DocumentFormat,
  type DocumentPart,
  fieldOf,
  type SchemaIssue,
  type SchemaProblem,
  valueAt,
} from "../../lib/schema_problems.ts";
import type { Finding } from "../finding.ts";
import { FIELDS } from "../rule_set/schema.ts";

/** Describes the part of the set that a path refers to. */
function partAt(path: readonly PathStep[], ruleSet: unknown): DocumentPart {
  const value = valueAt(ruleSet, path);
  switch (path.findLast((step) => typeof step === "string")) {
    case undefined:
      return { name: "a rule set", fields: FIELDS.ruleSet };
    case "source":
      return { name: "a source", fields: FIELDS.source };
    case "rules":
      return { name: "a rule", fields: FIELDS.rule };
    case "condition":
      return { name: "a condition", fields: FIELDS.condition };
    case "any":
    case "not":
      return { name: "a condition inside any or not", fields: FIELDS.leaf };
    case "path":
      return { name: "a path condition", fields: FIELDS.path };
    case "steps":
      return fieldOf(value, "handle") === undefined
        ? { name: "a function step", fields: FIELDS.functionStep }
        : { name: "a handle step", fields: FIELDS.handleStep };
    default: {
      const type = fieldOf(value, "type");
      const fields = FIELDS.action(type);
      if (fields.length === 0) return { name: "an action", fields };
      return { name: `${type === "allow" ? "an" : "a"} ${type} action`, fields };
    }
  }
}

function hasBothShapes(step: unknown): boolean {
  return fieldOf(step, "use") !== undefined && fieldOf(step, "handle") !== undefined;
}

function formatOf(ruleSet: unknown): DocumentFormat {
  return {
    root: ruleSet,
    partAt: (path) => partAt(path, ruleSet),
    describeKey(path, key) {
      const isNested = partAt(path, ruleSet).fields === FIELDS.leaf &&
        (key === "any" || key === "not");
      return isNested
        ? { hint: "Write the cases as items of the rule's `any`, or as separate rules" }
        : undefined;
    },
    describeIssue(issue, path): SchemaProblem | undefined {
      if (issue.code !== "unrecognized_keys" && issue.code !== "invalid_union") return undefined;
      return hasBothShapes(valueAt(ruleSet, path))
        ? {
          code: "two_shapes",
          message: `Use either "use" or "handle" in a step: it has both`,
          hint: "Write a function step, followed by a terminal handle step",
          path,
        }
        : undefined;
    },
    /** A step can have either of two forms; its fields show which form is intended. */
    meantBranch([functionStep, handleStep], path) {
      const step = valueAt(ruleSet, path);
      return fieldOf(step, "handle") === undefined ? functionStep : handleStep;
    },
  };
}

/**
 * Describes zod's issues. `base` is the path of the value that was parsed;
 * `ruleSet` is the whole untyped set.
 */
export function describeIssues(
  issues: readonly SchemaIssue[],
  base: readonly PathStep[],
  ruleSet: unknown,
): Finding[] {
  return describeIssuesOf(issues, base, formatOf(ruleSet))
    .map((problem) => ({ severity: "error", ...problem }));
}
