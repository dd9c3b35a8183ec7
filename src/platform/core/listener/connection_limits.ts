/** The default connection limits. @module */
import type { ConnectionLimits } from "./types.ts";

/**
 * Minimum for the connection limit, so a platform with few file descriptors still serves clients.
 */
const FEWEST_CONNECTIONS = 16;
const MOST_CONNECTIONS = 50_000;

const MOST_PER_ADDRESS = 256;

/** The given limits. Missing ones depend on the machine. */
export type GivenLimits =
  & Omit<ConnectionLimits, "maxConnections" | "maxPerAddress">
  & Partial<Pick<ConnectionLimits, "maxConnections" | "maxPerAddress">>;

/** Maximum fraction of connections that a single address may use if the total is small. */
const OTHERS = 1 / 2;

/**
 * Completes the limits. Half of the process's file descriptors are for clients, and half are for
 * the work that clients' requests cause.
 */
export function completeLimits(
  given: GivenLimits,
  descriptors: number,
): ConnectionLimits {
  const half = Math.floor(descriptors / 2);
  const maxConnections = given.maxConnections ??
    Math.min(MOST_CONNECTIONS, Math.max(FEWEST_CONNECTIONS, half));
  const maxPerAddress = given.maxPerAddress ??
    Math.min(MOST_PER_ADDRESS, Math.max(1, Math.floor(maxConnections * OTHERS)));
  return { ...given, maxConnections, maxPerAddress };
}
