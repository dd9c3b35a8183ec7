/**
 * What a rule set decides about one request, and why.
 *
 * @module
 */
export {
  explainRequest,
  type Explanation,
  type RuleExplanation,
  type RuleOutcome,
} from "./explain_request.ts";
export type { Mismatch } from "./mismatch.ts";
export { summarize } from "./summarize.ts";
