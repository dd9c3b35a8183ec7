/**
 * Lets nodes ask each other for data that only one of them has (docs/decisions/scale.md).
 *
 * @module
 */
export { askAll, missingNodes } from "./ask_all.ts";
export { followAll } from "./follow_all.ts";
export { nodeUrlOf } from "./node_url.ts";
export { PeerError } from "./peer_error.ts";
export { type OpenPeers, openPeers, type PeersOptions } from "./open_peers.ts";
export { isPeerPath, type Peer, type Peers, type SilentNode, solePeers } from "./peers.ts";
