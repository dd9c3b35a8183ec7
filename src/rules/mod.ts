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
export type * from "./types.ts";
export { SCHEMA_VERSION } from "./types.ts";
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
} from "./parse_rules.ts";
export { isEdgeField } from "./edge_fields.ts";
export { asksForAsn, ASN_UNKNOWN, type Surroundings } from "./surroundings.ts";
export { normalizeRules } from "./normalize.ts";
export { ruleSetSchema, rulesJsonSchema } from "./schema.ts";
export { writeRulesToml } from "./write_rules.ts";
export type {
  ImportFlavor,
  ImportOptions,
  ImportResult,
  UnsupportedLine,
} from "./import/import_result.ts";
export { UnreadableImportError } from "./import/import_result.ts";
export { importHeaders } from "./import/headers.ts";
export { importRedirects } from "./import/redirects.ts";
export { importVercelJson } from "./import/vercel_json.ts";
export { normalizePath, type PathRejection } from "./path.ts";
export {
  formatIp,
  type IpAddress,
  type IpBlock,
  IpBlockSet,
  parseCidr,
  parseIp,
} from "./ip_address.ts";
export {
  createFacts,
  type DescribedRequest,
  factsFromRequest,
  type FactSources,
  type RequestFacts,
  requestHost,
} from "./facts.ts";
export { type CompiledRules, compileInSteps, compileRules } from "./compile/compile_rules.ts";
export { phaseOf } from "./actions/actions.ts";
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
export { evaluateRules, isDecidedByTarget, rewriteChanged } from "./evaluate/evaluate_rules.ts";
export {
  explainRequest,
  type Explanation,
  type RuleExplanation,
  type RuleOutcome,
} from "./explain/explain_request.ts";
export type { Mismatch } from "./explain/mismatch.ts";
export { cachePositionOf, failureOf, ORIGIN_HANDLE, runsBehindCache } from "./pipeline_steps.ts";
export { summarize } from "./explain/summarize.ts";
export {
  type ParsedRuleTests,
  parseRuleTests,
  type PlacedRuleTest,
} from "./rule_tests/parse_rule_tests.ts";
export {
  type RuleTestFailure,
  type RuleTestReport,
  type RuleTestResult,
  runRuleTests,
} from "./rule_tests/run_rule_tests.ts";
export type { RuleExpectation, RuleTest } from "./rule_tests/schema.ts";
