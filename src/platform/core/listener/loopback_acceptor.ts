/**
 * Accepts the connections of servers of deployments to ports of the loopback address
 * that the platform opens for them.
 *
 * @module
 */
import { ConnectionAcceptor } from "./connection_acceptor.ts";
import type { ConnectionLimits } from "./types.ts";

/** Servers are foreign code: together they take only so much of the platform. */
const LIMITS: ConnectionLimits = {
  maxConnections: 512,
  maxPerAddress: 512,
  handshakeMs: 10_000,
  headMs: 10_000,
  bodyMs: 10_000,
  keepAliveMs: 30_000,
};

/**
 * Makes the acceptor.
 *
 * @param what names what servers reach, for messages to the operator: "The key-value store"
 */
export function createLoopbackAcceptor(
  what: string,
  onTrouble: (message: string) => void,
): ConnectionAcceptor {
  return new ConnectionAcceptor({
    limits: LIMITS,
    onError: (error) => {
      onTrouble(`${what}: a request failed: ${error}`);
      return new Response(null, { status: 500 });
    },
    groupOf: () => undefined,
    isShort: () => false,
    onShortage: (message) => onTrouble(`${what}: ${message}`),
    now: () => performance.now(),
  });
}
