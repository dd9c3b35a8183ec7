/**
 * Front edges: processes that follow the feed over HTTP, and relay requests that they cannot serve.
 *
 * @module
 */
export {
  createEdges,
  type EdgeFacts,
  type Edges,
  type LocalEdgeLink,
  PRESENCE,
  REFUSED_HEADER,
} from "./create_edges.ts";
export { sealCertificate, sealedCertificate, SealKey } from "./certificate_seal.ts";
export { type EdgePlace, isLocalEdge } from "./edge_registry.ts";
export {
  type EdgeSession,
  FACTS_HEADER,
  formatFacts,
  SIGNATURE_HEADER,
  signRelay,
} from "./relay_signature.ts";
export {
  ALIVE_MS,
  EDGE_PATHS,
  type EdgeShown,
  edgeShown,
  edgeSite,
  type FeedLine,
  feedLine,
  isEdgePath,
  MAX_BATCH,
  MAX_FIELD,
  type ServedRequest,
} from "./wire.ts";
