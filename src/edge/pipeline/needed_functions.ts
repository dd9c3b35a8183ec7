/**
 * Which functions a rule set needs, so that a set is refused where a function
 * is missing, instead of failing later.
 *
 * @module
 */
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import { functionsOf, planPipeline } from "./plan.ts";

export interface NeededFunction {
  readonly ruleId: string;
  readonly function: string;
}

/** Lists the functions that the pipelines of enabled rules use. */
export function neededFunctions(ruleSet: RuntimeRuleSet): NeededFunction[] {
  return ruleSet.rules.flatMap(({ id, enabled, action }) =>
    enabled && action.type === "pipeline"
      ? functionsOf(planPipeline(action.steps)).map((name) => ({ ruleId: id, function: name }))
      : []
  );
}
