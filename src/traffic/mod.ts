/** @module Counts traffic in bounded memory. Counts can be merged. */
export { type EncodedCounts, type Layer, LAYERS, TrafficCounts } from "./traffic_counts.ts";
export {
  type CountedRequest,
  type CountedVitals,
  type DeploymentCounts,
  TrafficCounter,
} from "./traffic_counter.ts";
export {
  MAX_VITAL_PATH,
  type MeasuredVitals,
  type VitalQuantiles,
  VITALS,
} from "./vitals_counts.ts";
export { Distribution, type EncodedDistribution } from "./distribution.ts";
export { SALT_BYTES } from "./visitor_hash.ts";
