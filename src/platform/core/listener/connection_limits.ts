/**
 * The limits of connections where the operator sets none.
 *
 * @module
 */
import type { ConnectionLimits } from "./types.ts";

/** A platform that may open few files still serves some clients. */
const FEWEST_CONNECTIONS = 16;
const MOST_CONNECTIONS = 50_000;

const DEFAULTS = {
  maxPerAddress: 256,
  handshakeMs: 10_000,
  headMs: 15_000,
  bodyMs: 60_000,
  keepAliveMs: 75_000,
} as const;

/** The part of all connections that one address leaves to others, if the total is small. */
const OTHERS = 1 / 2;

/**
 * Completes the given limits with defaults. Half of the descriptors that the
 * process may open are for clients; the other half is for what their requests
 * need: files, servers, other sites, and the store.
 */
export function completeLimits(
  given: Partial<ConnectionLimits>,
  descriptors: number,
): ConnectionLimits {
  const half = Math.floor(descriptors / 2);
  const maxConnections = given.maxConnections ??
    Math.min(MOST_CONNECTIONS, Math.max(FEWEST_CONNECTIONS, half));
  const maxPerAddress = given.maxPerAddress ??
    Math.min(DEFAULTS.maxPerAddress, Math.max(1, Math.floor(maxConnections * OTHERS)));
  return { ...DEFAULTS, ...given, maxConnections, maxPerAddress };
}
