/**
 * The TCP port at which clients reach all databases: authentication, limits,
 * and the bytes of sessions in both directions.
 *
 * @module
 */
export { Gateway, type GatewayOptions } from "./gateway.ts";
export {
  type BranchAccess,
  type BranchDirectory,
  DEFAULT_LIMITS,
  type GatewayLimits,
  type Refusal,
} from "./types.ts";
