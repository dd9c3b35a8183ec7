/**
 * Edge rules: checked, explained and tested here, published to production.
 *
 * @module
 */
export { warnOfPlatform } from "./platform_facts.ts";
export { autonomousSystem, countryCode, ipAddress } from "./client_values.ts";
export { formatExplanation } from "./format_explanation.ts";
export { RULES } from "./group.ts";
export { reportRulesInEffect, type RulesInEffect } from "./published_rules.ts";
