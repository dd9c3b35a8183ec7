/**
 * Outbound requests under guard.
 *
 * @module
 */
export { isPublicAddress } from "./address_rules.ts";
export { type Dial, judgeTarget, type ResolveDns } from "./connect.ts";
export { OutboundError, type OutboundErrorCode } from "./errors.ts";
export { type LateSignal } from "./late_signal.ts";
export { createOutboundFetch, type Outbound, type OutboundOptions } from "./outbound_fetch.ts";
export {
  type HeaderList,
  type OutboundFetch,
  type OutboundRequest,
  type OutboundResponse,
} from "./types.ts";
