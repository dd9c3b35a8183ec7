/**
 * A rule set as a document: reading it with all that is wrong with it, and writing it.
 *
 * @module
 */
export {
  type LoadedRules,
  loadRulesInSteps,
  loadRulesToml,
  loadRulesValue,
  type ParsedRules,
  parseRulesToml,
  parseRulesValue,
} from "./parse_rules.ts";
export { writeRulesToml } from "./write_rules.ts";
