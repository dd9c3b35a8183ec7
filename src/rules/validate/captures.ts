/**
 * @module Checks globs and references to their captures: names are unique, there is at most one
 * splat, only the root glob has captures, and every reference names one of them.
 */
import { nearest } from "../../lib/suggest.ts";
import { definitionOf } from "../actions/actions.ts";
import { type CheckedRule, leavesOfRule, rulePath } from "../rule_set/checked_rule.ts";
import type { PlacedLeaf } from "../conditions/condition.ts";
import { captureNames, parseGlob } from "../pattern/glob.ts";
import { parseTemplate, templateReferences } from "../pattern/template.ts";
import { errorAt, type Finding, joinNames } from "../finding.ts";

/** Returns the captures of a glob, or `undefined` if the glob is invalid. */
function capturesOf(glob: string): readonly string[] | undefined {
  const parsed = parseGlob(glob);
  return "tokens" in parsed ? captureNames(parsed.tokens) : undefined;
}

function* checkGlob(placed: PlacedLeaf): Generator<Finding> {
  const { leaf, isRoot } = placed;
  if (leaf.path?.type !== "glob") return;
  const path = [...placed.path, "path", "value"];
  const parsed = parseGlob(leaf.path.value);
  if ("problems" in parsed) {
    for (const { message, hint, offset } of parsed.problems) {
      yield errorAt(path, {
        code: "bad_glob",
        message: `${message} (character ${offset + 1})`,
        hint,
      });
    }
  } else if (!isRoot) {
    const names = captureNames(parsed.tokens);
    if (names.length === 0) return;
    yield errorAt(path, {
      code: "nested_capture",
      message: `Declare captures only in the root path of a condition: ${
        joinNames(names.map((name) => `"{${name}}"`))
      } is inside any or not`,
      hint: "Write * instead of {name}, and ** instead of {name...}",
    });
  }
}

function unknownCapture(
  name: string,
  known: readonly string[],
): Omit<Finding, "severity" | "path"> {
  const meant = nearest(name, known);
  return {
    code: "unknown_capture",
    message: `Refer to a capture of the rule's own glob: ${
      known.length === 0
        ? `"{${name}}" does not exist, since the path declares none`
        : `"{${name}}" is not one of ${joinNames(known.map((one) => `"{${one}}"`))}`
    }`,
    hint: meant !== undefined
      ? `Did you mean "{${meant}}"?`
      : `Write {{${name}}} for the literal text {${name}}`,
  };
}

function* checkReferences(checked: CheckedRule): Generator<Finding> {
  const { action, condition } = checked.rule;
  const root = condition?.path;
  const known = root?.type === "glob" ? capturesOf(root.value) : [];
  for (const { text, path } of definitionOf(action).templates(action)) {
    const at = [...rulePath(checked), "action", ...path];
    const parsed = parseTemplate(text);
    if ("problems" in parsed) {
      for (const { message, hint } of parsed.problems) {
        yield errorAt(at, {
          code: "bad_reference",
          message,
          hint,
        });
      }
    } else if (known !== undefined && checked.isPathKnown) {
      const missing = new Set(
        templateReferences(parsed.parts).map((reference) => reference.name)
          .filter((name) => !known.includes(name)),
      );
      for (const name of missing) yield errorAt(at, unknownCapture(name, known));
    }
  }
}

/** Reports invalid globs, misplaced captures, and references to missing captures. */
export function* checkCaptures(checked: CheckedRule): Generator<Finding> {
  for (const placed of leavesOfRule(checked)) yield* checkGlob(placed);
  yield* checkReferences(checked);
}
