/**
 * What a compiled rule set says about one request.
 *
 * @module
 */
export { evaluateRules, isSameForAllClients, rewriteChanged } from "./evaluate_rules.ts";
