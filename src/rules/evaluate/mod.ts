/**
 * What a compiled rule set says about one request.
 *
 * @module
 */
export { evaluateRules, isDecidedByTarget, rewriteChanged } from "./evaluate_rules.ts";
