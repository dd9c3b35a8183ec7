/**
 * The client's request: its host, path, address and headers, as far as they can be
 * believed.
 *
 * @module
 */
export {
  type AssumedClient,
  type ClientLookups,
  ClientRequest,
  type ClientSocket,
  type Connection,
} from "./client_request.ts";
export { deviceOf } from "./device.ts";
export { contentOf } from "./request_content.ts";
export { splitUrl } from "./host.ts";
export { type ForwardedHeader, TrustedProxies } from "./trusted_proxies.ts";
