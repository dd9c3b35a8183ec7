/**
 * What a rule set makes of one request, and why.
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
