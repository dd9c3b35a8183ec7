/**
 * What zod found wrong in a rule set, as findings in the house's words: about
 * the chosen action and step shape only, with the nearest right name.
 *
 * @module
 */
import type { z } from "zod";
import type { PathStep } from "../lib/diagnostic.ts";
import { nearest } from "../lib/suggest.ts";
import { describeValue } from "./describe_value.ts";
import { errorAt, fieldOf, type Finding, valueAt } from "./finding.ts";
import { FIELDS } from "./schema.ts";

type Issue = z.core.$ZodIssue;

interface Part {
  readonly noun: string;
  readonly fields: readonly string[];
}

/** Which part of the set a path leads to: what it is called and what it accepts. */
function partAt(path: readonly PathStep[], ruleSet: unknown): Part {
  const value = valueAt(ruleSet, path);
  switch (path.findLast((step) => typeof step === "string")) {
    case undefined:
      return { noun: "rule set", fields: FIELDS.ruleSet };
    case "source":
      return { noun: "source", fields: FIELDS.source };
    case "rules":
      return { noun: "rule", fields: FIELDS.rule };
    case "condition":
      return { noun: "condition", fields: FIELDS.condition };
    case "any":
    case "not":
      return { noun: "condition inside any or not", fields: FIELDS.leaf };
    case "path":
      return { noun: "path condition", fields: FIELDS.path };
    case "steps":
      return fieldOf(value, "handle") === undefined
        ? { noun: "function step", fields: FIELDS.functionStep }
        : { noun: "handle step", fields: FIELDS.handleStep };
    default: {
      const type = fieldOf(value, "type");
      const fields = FIELDS.action(type);
      return { noun: fields.length === 0 ? "action" : `${type} action`, fields };
    }
  }
}

const letters = (word: string): string => [...word.toLowerCase()].sort().join("");

/** The word that was meant: the nearest one, or the one of the same letters. */
function meantWord(word: string, candidates: readonly string[]): string | undefined {
  return nearest(word, candidates) ??
    candidates.find((candidate) =>
      candidate.length === word.length && letters(candidate) === letters(word)
    );
}

const article = (noun: string) => (/^[aeiou]/.test(noun) ? `An ${noun}` : `A ${noun}`);

function unknownKey(path: readonly PathStep[], key: string, ruleSet: unknown): Finding {
  const part = partAt(path, ruleSet);
  const meant = meantWord(key, part.fields);
  const isNested = part.fields === FIELDS.leaf && (key === "any" || key === "not");
  return errorAt([...path, key], {
    code: "unknown_key",
    message: `Remove ${JSON.stringify(key)}: ${article(part.noun).toLowerCase()} has no such field`,
    hint: isNested
      ? "Write the cases as items of the rule's own any, or as rules of their own"
      : meant === undefined
      ? `${article(part.noun)} takes ${part.fields.join(", ")}`
      : `Did you mean "${meant}"?`,
    on: "key",
  });
}

function wantedValue(issue: Issue, path: readonly PathStep[], ruleSet: unknown): Finding {
  const value = valueAt(ruleSet, path);
  const values = issue.code === "invalid_value"
    ? issue.values.map(String)
    : "options" in issue && issue.options !== undefined
    ? issue.options.map(String)
    : [];
  const wanted = issue.code === "invalid_union" && values.length > 0
    ? `Use one of ${values.join(", ")}`
    : issue.message;
  if (value === undefined) {
    const field = String(path.at(-1));
    const part = partAt(path.slice(0, -1), ruleSet);
    return errorAt(path, {
      code: "missing_field",
      message: `Add "${field}": ${article(part.noun).toLowerCase()} needs it`,
      hint: wanted,
    });
  }
  const meant = typeof value === "string" ? meantWord(value, values) : undefined;
  return errorAt(path, {
    code: values.length > 0 ? "unknown_value" : CODES[issue.code] ?? "wrong_value",
    message: `${wanted}: it is ${describeValue(value)}`,
    ...(meant === undefined ? {} : { hint: `Did you mean "${meant}"?` }),
  });
}

const CODES: Readonly<Record<string, string>> = {
  invalid_type: "wrong_type",
  too_small: "out_of_range",
  too_big: "out_of_range",
  invalid_format: "wrong_format",
  invalid_union: "wrong_type",
};

/** The branch of the step union that the author meant, by the fields of the step. */
function stepIssues(
  branches: readonly (readonly Issue[])[],
  path: readonly PathStep[],
  ruleSet: unknown,
): readonly Issue[] {
  const step = valueAt(ruleSet, path);
  const isHandle = fieldOf(step, "handle") !== undefined && fieldOf(step, "use") === undefined;
  return branches[isHandle ? 1 : 0] ?? [];
}

function hasBothShapes(path: readonly PathStep[], ruleSet: unknown): boolean {
  const step = valueAt(ruleSet, path);
  return fieldOf(step, "use") !== undefined && fieldOf(step, "handle") !== undefined;
}

function twoShapes(path: readonly PathStep[]): Finding {
  return errorAt(path, {
    code: "two_shapes",
    message: `Use either "use" or "handle" in a step: it has both`,
    hint: "Write the function step and the terminal handle step one after the other",
  });
}

function describeIssue(issue: Issue, base: readonly PathStep[], ruleSet: unknown): Finding[] {
  const path = [
    ...base,
    ...issue.path.map((step) => typeof step === "number" ? step : String(step)),
  ];
  if (issue.code === "unrecognized_keys") {
    if (hasBothShapes(path, ruleSet)) return [twoShapes(path)];
    return issue.keys.map((key) => unknownKey(path, key, ruleSet));
  }
  if (issue.code === "invalid_key") {
    return [errorAt(path, {
      code: "empty_name",
      message: issue.issues[0]?.message ?? issue.message,
      on: "key",
    })];
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    if (hasBothShapes(path, ruleSet)) return [twoShapes(path)];
    return stepIssues(issue.errors, path, ruleSet)
      .flatMap((nested) => describeIssue(nested, path, ruleSet));
  }
  return [wantedValue(issue, path, ruleSet)];
}

/**
 * Describes zod's issues. `base` is the path of the value that was parsed;
 * `ruleSet` is the whole untyped set, from which current values are read.
 */
export function describeIssues(
  issues: readonly Issue[],
  base: readonly PathStep[],
  ruleSet: unknown,
): Finding[] {
  const seen = new Set<string>();
  return issues.flatMap((issue) => describeIssue(issue, base, ruleSet)).filter((finding) => {
    const key = JSON.stringify([finding.path, finding.message]);
    return !seen.has(key) && seen.add(key);
  });
}
