/**
 * What the schema cannot say about a rule set.
 *
 * @module
 */
export { checkGates, pipelinesOf, type PlacedRule } from "./gates.ts";
export {
  asksForAsn,
  ASN_UNKNOWN,
  checkSurroundings,
  GEO_UNKNOWN,
  LIMIT_PER_NODE,
  type Surroundings,
} from "./surroundings.ts";
export { checkUniqueIds } from "./unique_ids.ts";
export { checkRule } from "./check_rule.ts";
