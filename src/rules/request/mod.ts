/**
 * A request as rules see it, and what HTTP allows in its parts.
 *
 * @module
 */
export { isEdgeField } from "./edge_fields.ts";
export {
  createFacts,
  type DescribedRequest,
  factsFromRequest,
  type FactSources,
  type RequestFacts,
  requestHost,
} from "./facts.ts";
export { checkHeaderMap, checkName, lowerCaseNames } from "./header_map.ts";
export { canonicalHost, hostOrSame, type HostProblem, splitAuthority } from "./host.ts";
export {
  formatIp,
  type IpAddress,
  type IpBlock,
  IpBlockSet,
  parseCidr,
  parseIp,
} from "./ip_address.ts";
export { canonicalPathText, normalizePath, type PathRejection, resolveSegments } from "./path.ts";
export { mergeQueries } from "./query.ts";
