/**
 * Outbound requests that are guarded: they reach the public internet only.
 *
 * @module
 */
export { isPublicAddress } from "./address_rules.ts";
export { judgeTarget } from "./connect.ts";
export { createOutboundFetch, type Outbound } from "./outbound_fetch.ts";
export { type OutboundFetch, type OutboundRequest, type OutboundResponse } from "./types.ts";
