/**
 * Nodes that share a store, and the choice of the node that does work for all (docs/scaling.md).
 * @module
 */
export { type ClaimHolder, Claims } from "./claims.ts";
export { Membership, NodeIdInUseError } from "./membership.ts";
export { keepIdentity, NodeFileError, type NodeIdentity } from "./node_identity.ts";
export { type NodeView, type Role, ROLES } from "./node_record.ts";
export { type Nodes, soleNode } from "./nodes.ts";
