/**
 * Front edges: processes that follow the feed over HTTP and pass on what they cannot answer.
 *
 * @module
 */
export { createEdges, type Edges, REFUSED_HEADER } from "./create_edges.ts";
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
} from "./wire.ts";
