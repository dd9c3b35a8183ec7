/**
 * Tests of rules that an author writes: `svc.rules.test.toml`, read and run.
 *
 * @module
 */
export { type ParsedRuleTests, parseRuleTests, type PlacedRuleTest } from "./parse_rule_tests.ts";
export {
  type RuleTestFailure,
  type RuleTestReport,
  type RuleTestResult,
  runRuleTests,
} from "./run_rule_tests.ts";
export type { RuleExpectation, RuleTest } from "./schema.ts";
