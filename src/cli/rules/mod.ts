/**
 * Edge rules: checked, explained and tested here, published to production.
 *
 * @module
 */
export { warnOfAsn } from "./asn.ts";
export { autonomousSystem, countryCode, ipAddress } from "./client_values.ts";
export { formatExplanation } from "./format_explanation.ts";
export { RULES } from "./group.ts";
export { reportRulesInEffect, type RulesInEffect } from "./published_rules.ts";
