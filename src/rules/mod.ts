/**
 * @module The edge rule set: parse, validate, normalize, compile, evaluate, explain, test, import,
 * write. Pure: no I/O and no clock.
 *
 * ```ts
 * const { runtime, diagnostics } = loadRulesToml(source);
 * if (runtime !== undefined) {
 *   const decision = evaluateRules(compileRules(runtime), createFacts(sources), hooks);
 * }
 * ```
 */
export type {
  Action,
  Condition,
  Device,
  FunctionStep,
  GlobToken,
  LeafCondition,
  PathMatch,
  PipelineStep,
  RateLimitKey,
  Rule,
  RuleSet,
  RuntimeAction,
  RuntimeCondition,
  RuntimeLeaf,
  RuntimePath,
  RuntimeRule,
  RuntimeRuleSet,
} from "./rule_set/types.ts";
export { normalizeRules } from "./rule_set/normalize.ts";
export { SCHEMA_VERSION } from "./rule_set/types.ts";
export { DEVICES, METHODS, VARY_DIMENSIONS } from "./vocabulary.ts";
export {
  type LoadedRules,
  loadRulesInSteps,
  loadRulesToml,
  loadRulesValue,
  parseRulesToml,
} from "./document/parse_rules.ts";
export { writeRulesToml } from "./document/write_rules.ts";
export {
  createFacts,
  type DescribedRequest,
  factsFromRequest,
  type FactSources,
  type RequestFacts,
  requestHost,
} from "./request/facts.ts";
export { type IpAddress, IpBlockSet, parseCidr, parseIp } from "./request/ip_address.ts";
export { queryText } from "./actions/target_field.ts";
export { isEdgeField, isLifetimeField } from "./request/edge_fields.ts";
export { normalizePath } from "./request/path.ts";
export {
  asksForAsn,
  ASN_UNKNOWN,
  GEO_UNKNOWN,
  LIMIT_PER_NODE,
  type Surroundings,
} from "./validate/surroundings.ts";
export { type AppendedRules, appendRules } from "./import/append_rules.ts";
export {
  type ImportFlavor,
  type ImportResult,
  UnreadableImportError,
} from "./import/import_result.ts";
export { importHeaders } from "./import/headers.ts";
export { importNetlifyToml } from "./import/netlify_toml.ts";
export type { PageSettings } from "./import/page_settings.ts";
export { importRedirects } from "./import/redirects.ts";
export { importVercelJson } from "./import/vercel_json.ts";
export { importWrangler } from "./import/wrangler.ts";
export { readNetlifyBuild } from "./import/netlify_settings.ts";
export { type CompiledRules, compileInSteps, compileRules } from "./compile/compile_rules.ts";
export {
  type CacheDecision,
  type Decision,
  type EvaluationHooks,
  type HeaderEdit,
  type Hit,
  NO_DECISION,
  type RateLimitAction,
  type RuleRef,
  type Terminal,
} from "./decision.ts";
export { evaluateRules, isSameForAllClients, rewriteChanged } from "./evaluate/evaluate_rules.ts";
export {
  explainRequest,
  type Explanation,
  type RuleExplanation,
  type RuleOutcome,
} from "./explain/explain_request.ts";
export { summarize } from "./explain/summarize.ts";
export {
  cachePositionOf,
  failureOf,
  ORIGIN_HANDLE,
  runsBehindCache,
  usedFunctions,
} from "./pipeline_steps.ts";
export { parseRuleTests } from "./rule_tests/parse_rule_tests.ts";
export {
  type RuleTestReport,
  type RuleTestResult,
  runRuleTests,
} from "./rule_tests/run_rule_tests.ts";
export { OPEN_FOLDER_PAGE } from "./warnings/folder_page.ts";
