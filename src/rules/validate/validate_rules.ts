/**
 * All that the schema can not say: the spec's rules on captures, its server-side
 * validation rules, and what hosts, networks, headers and targets may be.
 *
 * @module
 */
import type { CheckedRule } from "../checked_rule.ts";
import type { Finding } from "../finding.ts";
import { checkCacheVary } from "./cache_vary.ts";
import { checkCaptures } from "./captures.ts";
import { checkHeaderFields } from "./header_fields.ts";
import { checkConditions } from "./conditions.ts";
import { checkPipelineSteps } from "./pipeline_steps.ts";
import { checkTargets } from "./targets.ts";

/** Reports what is wrong with one rule by itself. */
export function* checkRule(checked: CheckedRule): Generator<Finding> {
  yield* checkConditions(checked);
  yield* checkHeaderFields(checked);
  yield* checkCaptures(checked);
  yield* checkTargets(checked);
  yield* checkCacheVary(checked);
  yield* checkPipelineSteps(checked);
}
