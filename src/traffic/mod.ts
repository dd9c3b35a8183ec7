/**
 * Traffic in bounded counts: requests, visitors, pages, and how long answers took.
 * Counts of parts can be merged into those of the whole.
 *
 * @module
 */
export { type Counted, TopList } from "./top_list.ts";
export {
  type EncodedCounts,
  type Layer,
  LAYERS,
  type List,
  LISTS,
  TrafficCounts,
} from "./traffic_counts.ts";
export {
  type CountedClient,
  type CountedRequest,
  type CountedVitals,
  type DeploymentCounts,
  TrafficCounter,
  type TrafficCounterOptions,
} from "./traffic_counter.ts";
export {
  MAX_VITAL_PATH,
  type MeasuredVitals,
  type Vital,
  type VitalQuantiles,
  VITALS,
  VitalsCounts,
} from "./vitals_counts.ts";
export { dayOf, SALT_BYTES } from "./visitor_hash.ts";
