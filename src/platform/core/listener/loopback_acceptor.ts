/** Accepts connections from deployments' servers to the platform's loopback ports. @module */
import { ConnectionAcceptor } from "./connection_acceptor.ts";
import type { ConnectionLimits } from "./types.ts";

/** Servers run project code, so their total use of the platform is limited. */
const LIMITS: ConnectionLimits = {
  maxConnections: 512,
  maxPerAddress: 512,
  handshakeMs: 10_000,
  headMs: 10_000,
  bodyMs: 10_000,
  keepAliveMs: 30_000,
};

/** @param what the name of the service that the servers connect to, for messages to the operator */
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
