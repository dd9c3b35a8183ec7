/**
 * Which functions a rule needs, so that a set is refused where a function
 * is missing, instead of failing later.
 *
 * @module
 */
import type { RuntimeRule } from "../../rules/mod.ts";
import { functionsOf, planPipeline } from "./plan.ts";

export interface NeededFunction {
  readonly ruleId: string;
  readonly function: string;
}

/** Lists the functions that the pipeline of a rule uses; none for a rule that is disabled. */
export function neededFunctions({ id, enabled, action }: RuntimeRule): NeededFunction[] {
  return enabled && action.type === "pipeline"
    ? functionsOf(planPipeline(action.steps)).map((name) => ({ ruleId: id, function: name }))
    : [];
}
