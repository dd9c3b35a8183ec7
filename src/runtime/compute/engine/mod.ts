/**
 * What the engines of servers share inside the server's own process: its one
 * address, how the servers of Node's interfaces are led to it, the scope of a
 * request, and `globalThis.svc`.
 *
 * @module
 */
export { type AdvertisedAddress, refusedListen, ServerAddress } from "./address.ts";
export { cleanStack, type StackPlaces } from "./clean_stack.ts";
export {
  type Adapt,
  addPeer,
  type Emitter,
  type Method,
  replaceAddress,
  replaceListen,
  scopeRequests,
  takeAddress,
} from "./node_servers.ts";
export { findOwnHosts, OWN_ADDRESS, OwnHosts } from "./own_hosts.ts";
export { CALLS_ITSELF, currentRequest, depthField, inRequest, readDepth } from "./request_scope.ts";
export { type Ask, defineRevalidate, type TakeAnswer } from "./revalidate.ts";
export {
  checkRevalidation,
  MAX_REVALIDATION_BYTES,
  MAX_REVALIDATIONS_PER_SECOND,
  type Revalidate,
  type Revalidation,
} from "./revalidation.ts";
