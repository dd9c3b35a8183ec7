/** @module Warns about valid but probably mistaken parts of a rule. */
import { definitionOf } from "../actions/actions.ts";
import { CONDITION_NAMES } from "../conditions/conditions.ts";
import { METHODS_ALIAS } from "../conditions/methods.ts";
import { actionPlaceOf, type CheckedRule, leavesOfRule } from "../rule_set/checked_rule.ts";
import type { LeafCondition, PathMatch } from "../rule_set/types.ts";
import { type Finding, warningAt } from "../finding.ts";
import { literalPrefix, parseGlob } from "../pattern/glob.ts";
import { canonicalPathText, resolveSegments } from "../request/path.ts";
import { describeValue } from "../../lib/describe_value.ts";

type Problem = Omit<Finding, "severity" | "path">;

function unmatchable(path: PathMatch): Problem | undefined {
  const shown = describeValue(path.value);
  if (path.type === "glob") {
    const parsed = parseGlob(path.value);
    if (!("tokens" in parsed)) return undefined;
    const first = parsed.tokens[0]?.type;
    return first === "deep" || first === "splat" || literalPrefix(parsed.tokens).startsWith("/")
      ? undefined
      : {
        code: "unmatchable_path",
        message: `Begin the glob with "/": no path matches ${shown}`,
        hint: `Write **/ before it to match it in every folder`,
      };
  }
  if (!path.value.startsWith("/")) {
    return {
      code: "unmatchable_path",
      message: `Begin the path with "/": no path matches ${shown}`,
    };
  }
  const mark = /[?#]/.exec(path.value)?.[0];
  if (mark !== undefined) {
    return {
      code: "unmatchable_path",
      message: `Remove "${mark}" and everything after it: it is not part of the path in ${shown}`,
      ...(mark === "?" ? { hint: "Use the query field of the condition" } : {}),
    };
  }
  const canonical = canonicalPathText(path.value);
  return resolveSegments(canonical) === canonical ? undefined : {
    code: "unmatchable_path",
    message: `Write the normalized path: no path matches ${shown}`,
    hint: `Write ${describeValue(resolveSegments(canonical))}`,
  };
}

/**
 * Matches a prefix whose last character is a letter or digit. Such a prefix ends inside a segment.
 */
const OPEN_END = /[A-Za-z0-9]$/;

function sibling(path: PathMatch): Problem | undefined {
  if (path.type !== "prefix" || !OPEN_END.test(path.value)) return undefined;
  return {
    code: "prefix_sibling",
    message: `End the prefix with "/": ${describeValue(path.value)} also matches ${
      describeValue(`${path.value}-other`)
    }`,
    hint: `A second rule with type "exact" matches ${describeValue(path.value)} itself`,
  };
}

/** Reports prefixes that also match sibling paths, and paths that no request can have. */
function* warnPaths(checked: CheckedRule): Generator<Finding> {
  for (const { leaf, path } of leavesOfRule(checked)) {
    if (leaf.path === undefined) continue;
    const problem = unmatchable(leaf.path) ?? sibling(leaf.path);
    if (problem !== undefined) yield warningAt([...path, "path", "value"], problem);
  }
}

/** Returns whether a condition has any methods. `method` and `methods` count as one list. */
const hasMethods = ({ [METHODS_ALIAS]: alias = [], methods = [] }: LeafCondition): boolean =>
  alias.length + methods.length > 0;

/** Reports empty lists in conditions, which no request matches. */
function* warnEmptyLists(checked: CheckedRule): Generator<Finding> {
  for (const { leaf, path } of leavesOfRule(checked)) {
    for (const field of [...CONDITION_NAMES, METHODS_ALIAS] as const) {
      const value = leaf[field];
      if (!Array.isArray(value) || value.length > 0) continue;
      if ((field === "methods" || field === METHODS_ALIAS) && hasMethods(leaf)) continue;
      yield warningAt([...path, field], {
        code: "empty_list",
        message: `Fill the list ${field} or remove it: it is empty, so no request matches`,
      });
    }
  }
}

/** Reports the questionable parts of a single rule. */
export function* warnRule(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  yield* warnPaths(checked);
  yield* warnEmptyLists(checked);
  yield* definitionOf(action).warn?.(action, actionPlaceOf(checked)) ?? [];
}
