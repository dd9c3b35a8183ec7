/**
 * The rule set: its types, its schema and its normal form.
 *
 * @module
 */
export { actionPlaceOf, type CheckedRule, leavesOfRule, rulePath } from "./checked_rule.ts";
export { normalizeRule, normalizeRules } from "./normalize.ts";
export {
  FIELDS,
  ruleSchema,
  ruleSetFrameSchema,
  ruleSetSchema,
  rulesJsonSchema,
} from "./schema.ts";

export type {
  Action,
  ActionType,
  Condition,
  Device,
  EnforceMode,
  FunctionStep,
  GlobToken,
  HandleStep,
  LeafCondition,
  Method,
  PathMatch,
  PipelineStep,
  RateLimitKey,
  Rule,
  RuleSet,
  RuleSource,
  RuntimeAction,
  RuntimeCondition,
  RuntimeLeaf,
  RuntimePath,
  RuntimeRule,
  RuntimeRuleSet,
  VaryDimension,
} from "./types.ts";
export { SCHEMA_VERSION } from "./types.ts";
