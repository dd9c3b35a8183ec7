/**
 * What can be proven about the requests that two conditions match.
 *
 * @module
 */
export {
  conditionContains,
  conditionsDisjoint,
  type ConditionSet,
  conditionSetOf,
  type DeadParts,
  deadPartsOf,
  placesDisjoint,
} from "./condition_sets.ts";
export { PlaceIndex } from "./place_index.ts";
export { comparePrecedence, type Ranked } from "./precedence.ts";
