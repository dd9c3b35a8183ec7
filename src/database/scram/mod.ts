/**
 * SCRAM-SHA-256 as PostgreSQL speaks it (RFC 5802, RFC 7677), both sides.
 *
 * @module
 */
export { ScramClientExchange } from "./client_exchange.ts";
export { ScramError } from "./messages.ts";
export { type ScramOutcome, ScramServerExchange } from "./server_exchange.ts";
export {
  formatVerifier,
  makeVerifier,
  mockVerifier,
  parseVerifier,
  SALT_BYTES,
  type ScramVerifier,
} from "./verifier.ts";
