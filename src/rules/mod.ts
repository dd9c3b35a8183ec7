/**
 * The edge rule set: parse, validate, normalize, compile, evaluate, explain, test,
 * import, write. Pure: no I/O and no clock.
 *
 * ```ts
 * const { runtime, diagnostics } = loadRulesToml(source);
 * if (runtime !== undefined) {
 *   const decision = evaluateRules(compileRules(runtime), createFacts(sources), hooks);
 * }
 * ```
 *
 * @module
 */
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
} from "./rule_set/mod.ts";
export { normalizeRules, ruleSetSchema, rulesJsonSchema, SCHEMA_VERSION } from "./rule_set/mod.ts";
export { DEVICES, METHODS, RATE_LIMIT_KEYS, VARY_DIMENSIONS } from "./vocabulary.ts";
export { MAX_RULES, MAX_RULES_BYTES } from "./limits.ts";
export {
  type LoadedRules,
  loadRulesInSteps,
  loadRulesToml,
  loadRulesValue,
  type ParsedRules,
  parseRulesToml,
  parseRulesValue,
  writeRulesToml,
} from "./document/mod.ts";
export {
  createFacts,
  type DescribedRequest,
  factsFromRequest,
  type FactSources,
  formatIp,
  type IpAddress,
  type IpBlock,
  IpBlockSet,
  isEdgeField,
  normalizePath,
  parseCidr,
  parseIp,
  type PathRejection,
  type RequestFacts,
  requestHost,
} from "./request/mod.ts";
export {
  asksForAsn,
  ASN_UNKNOWN,
  GEO_UNKNOWN,
  LIMIT_PER_NODE,
  type Surroundings,
} from "./validate/mod.ts";
export {
  type AppendedRules,
  appendRules,
  type ImportFlavor,
  importHeaders,
  importNetlifyToml,
  type ImportOptions,
  importRedirects,
  type ImportResult,
  importVercelJson,
  type NetlifyBuild,
  readNetlifyBuild,
  UnreadableImportError,
  type UnsupportedLine,
} from "./import/mod.ts";
export { type CompiledRules, compileInSteps, compileRules } from "./compile/mod.ts";
export { phaseOf } from "./actions/mod.ts";
export {
  type CacheDecision,
  type Decision,
  type EvaluationHooks,
  type HeaderEdit,
  type Hit,
  NO_DECISION,
  type Phase,
  PHASES,
  type PipelineDecision,
  type RateLimitAction,
  type RewriteDecision,
  type RuleRef,
  type Terminal,
  type VaryNames,
} from "./decision.ts";
export { evaluateRules, isSameForAllClients, rewriteChanged } from "./evaluate/mod.ts";
export {
  explainRequest,
  type Explanation,
  type Mismatch,
  type RuleExplanation,
  type RuleOutcome,
  summarize,
} from "./explain/mod.ts";
export {
  cachePositionOf,
  failureOf,
  ORIGIN_HANDLE,
  runsBehindCache,
  usedFunctions,
} from "./pipeline_steps.ts";
export {
  type ParsedRuleTests,
  parseRuleTests,
  type PlacedRuleTest,
  type RuleExpectation,
  type RuleTest,
  type RuleTestFailure,
  type RuleTestReport,
  type RuleTestResult,
  runRuleTests,
} from "./rule_tests/mod.ts";
export { OPEN_FOLDER_PAGE } from "./warnings/mod.ts";
