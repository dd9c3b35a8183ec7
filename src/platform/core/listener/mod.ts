/** Accepts connections, and serves HTTP on them within limits. @module */
export { setAcceptedOptions } from "./accepted_options.ts";
export {
  attractConnections,
  endSharing,
  joinPort,
  openBeside,
  sharePort,
  stopAttracting,
  stopReceiving,
} from "./shared_port.ts";
export { asLast } from "./last_answer.ts";
export { completeLimits, type GivenLimits } from "./connection_limits.ts";
export { ConnectionAcceptor } from "./connection_acceptor.ts";
export { createLoopbackAcceptor } from "./loopback_acceptor.ts";
export { ConnectionsUnsupportedError } from "./serve_connection.ts";
export type { ClientConnection, ConnectionHandler } from "./types.ts";
