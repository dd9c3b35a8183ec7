/**
 * The conditions of rules, one file for each field.
 *
 * @module
 */
export {
  type Condition,
  type LeafCondition,
  leavesOf,
  type PlacedLeaf,
  type RuntimeCondition,
  type RuntimeLeaf,
} from "./condition.ts";
export type { SampleParts } from "./condition_type.ts";
export {
  BY_COST,
  BY_SELECTIVITY,
  CONDITION_NAMES,
  type ConditionName,
  CONDITIONS,
  type NormalConditions,
  type RawConditions,
} from "./conditions.ts";
export { comparable, MAX_LISTED, unique } from "./lists.ts";
export { methodListSchema, METHODS_ALIAS } from "./methods.ts";
export { ANY_TEXT, compilePath, pathHolds, type PathMatcher, pathShape } from "./path.ts";
export { type PathSet, pathSetOf } from "./path/path_sets.ts";
export type { PathMatch, RuntimePath } from "./path/types.ts";
