/** The default limits of connections. @module */
import type { ConnectionLimits } from "./types.ts";

/** Minimum number, so that a platform with few descriptors still serves some clients. */
const FEWEST_CONNECTIONS = 16;
const MOST_CONNECTIONS = 50_000;

const MOST_PER_ADDRESS = 256;

/** Limits that can depend on the machine. */
export type GivenLimits =
  & Omit<ConnectionLimits, "maxConnections" | "maxPerAddress">
  & Partial<Pick<ConnectionLimits, "maxConnections" | "maxPerAddress">>;

/** The share of connections that a single address must leave to others, if the total is small. */
const OTHERS = 1 / 2;

/** Completes the limits. Half of the process's descriptors are for clients, half for their work. */
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
