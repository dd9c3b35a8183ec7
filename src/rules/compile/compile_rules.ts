/**
 * Compiling a rule set: once, when it goes live; a request parses nothing.
 *
 * @module
 */
import type { RuntimeRule, RuntimeRuleSet } from "../types.ts";
import { atItsPlace, isClientBound } from "./client_bound.ts";
import { type CompiledRule, compileRule, type UnrankedRule } from "./compiled_rule.ts";
import { RuleIndex } from "./rule_index.ts";

/** A rule set ready to evaluate. */
export interface CompiledRules {
  /** What was compiled; counters per rule are kept by the index into its rules. */
  readonly source: RuntimeRuleSet;
  /** The enabled rules in the order of evaluation. */
  readonly rules: readonly CompiledRule[];
  readonly index: RuleIndex;
  /** Those that ask for more than the target, by the places where they may say something. */
  readonly clientBound: RuleIndex;
}

/** How specific the path of a pipeline rule is: exact, then by the length of its literal prefix. */
function specificity(rule: UnrankedRule): number {
  const { path } = rule.condition.root;
  if (path === undefined) return 0;
  if (path.type === "exact") return Infinity;
  return path.type === "glob" ? path.glob.prefix.length : path.text.length;
}

function overrides(rule: UnrankedRule): number {
  return rule.action.type === "pipeline" && rule.action.override ? 1 : 0;
}

/** Phase by phase in authored order; pipelines by override and specificity first. */
function compareRules(a: UnrankedRule, b: UnrankedRule): number {
  if (a.phase !== b.phase) return a.phase - b.phase;
  if (a.action.type === "pipeline") {
    const [ofA, ofB] = [specificity(a), specificity(b)];
    if (overrides(a) !== overrides(b)) return overrides(b) - overrides(a);
    if (ofA !== ofB) return ofA < ofB ? 1 : -1;
  }
  return a.ref.index - b.ref.index;
}

/**
 * Compiles a normalized rule set; disabled rules are left out. Throws TypeError
 * for a set that the validation would have refused.
 */
export function compileRules(set: RuntimeRuleSet): CompiledRules {
  const compiled = set.rules.flatMap((rule: RuntimeRule, index) =>
    rule.enabled ? [compileRule(rule, index)] : []
  );
  const rules = compiled.sort(compareRules).map((rule, rank) => ({ ...rule, rank }));
  const clientBound = rules.flatMap((rule) => {
    const source = set.rules[rule.ref.index]!;
    return isClientBound(source) ? [atItsPlace(rule, source.condition)] : [];
  });
  return {
    source: set,
    rules,
    index: new RuleIndex(rules),
    clientBound: new RuleIndex(clientBound),
  };
}
