/**
 * The bounds of connections where the operator names none.
 *
 * @module
 */
import type { ConnectionLimits } from "./types.ts";

/** A platform that may open only a few files still answers some clients. */
const FEWEST_CONNECTIONS = 16;
const MOST_CONNECTIONS = 50_000;

const DEFAULTS = {
  maxPerAddress: 256,
  handshakeMs: 10_000,
  headMs: 15_000,
  bodyMs: 60_000,
  keepAliveMs: 75_000,
} as const;

/** One address leaves this part of all connections to others, where few are to be had. */
const OTHERS = 1 / 2;

/**
 * Completes the bounds that were given. Half of the descriptors that the
 * process may open are the clients'; the other half is what their requests
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
