export { compileRules } from "../rules/compile/compile_rules.ts";
export {
  explainRequest,
  type Explanation,
  type RuleExplanation,
} from "../rules/explain/explain_request.ts";
export { type DescribedRequest, factsFromRequest, type RequestFacts } from "../rules/facts.ts";
export { normalizePath } from "../rules/path.ts";
export { parseRuleTests } from "../rules/rule_tests/parse_rule_tests.ts";
export {
  type RuleTestReport,
  type RuleTestResult,
  runRuleTests,
} from "../rules/rule_tests/run_rule_tests.ts";
