/**
 * Compiles a rule set, so that it can be evaluated.
 *
 * @module
 */
export { type CompiledRules, compileInSteps, compileRules } from "./compile_rules.ts";
export type { CompiledRule } from "./compiled_rule.ts";
export { type ConditionField, LeafMatcher } from "./condition.ts";
export type { RuleIndex } from "./rule_index.ts";
