/**
 * The client's request: its host, path, address and headers, as far as they can be
 * believed.
 *
 * @module
 */
export { type Connection, Exchange, type Surroundings } from "./client_request.ts";
export { deviceOf } from "./device.ts";
export { canonicalAuthority, splitTarget } from "./host.ts";
export { type ForwardedHeader, TrustedProxies } from "./trusted_proxies.ts";
