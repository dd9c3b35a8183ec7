/**
 * The rules of a site as the edge holds them: compiled, counted, and with the
 * decisions that hold for every client of a URL.
 *
 * @module
 */
export { type CachedDecision, DecisionCache } from "./decision_cache.ts";
export { type RuleCount, type SiteRules, siteRulesSteps } from "./site_rules.ts";
