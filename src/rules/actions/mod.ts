/**
 * The actions of rules, one file each.
 *
 * @module
 */
export type { ActionPlace, DecisionDraft, Effect, Location } from "./action_definition.ts";
export {
  type Action,
  ACTION_TYPES,
  ACTIONS,
  type ActionType,
  definitionOf,
  phaseOf,
  type RuntimeAction,
} from "./actions.ts";
export { STEP_FIELDS } from "./pipeline.ts";
