/**
 * PostgreSQL's frontend/backend protocol: packets, messages and their flow.
 *
 * @module
 */
export {
  closeQuietly,
  type Connection,
  ConnectionEnded,
  readExactly,
  readFrame,
  writeAll,
} from "./connection.ts";
export { FrameScanner, ProtocolError } from "./frame_scanner.ts";
export {
  AUTHENTICATION,
  authenticationOk,
  authenticationSasl,
  authenticationSaslContinue,
  authenticationSaslFinal,
  backendKeyData,
  concatBytes,
  type ErrorFields,
  errorResponse,
  type Frame,
  message,
  negotiateProtocolVersion,
  parseFields,
  SCRAM_MECHANISM,
  splitFrames,
} from "./messages.ts";
export { SessionState } from "./session_state.ts";
export {
  cancelRequest,
  parseStartupPacket,
  sslRequest,
  startupLength,
  startupMessage,
  type StartupPacket,
} from "./startup_packet.ts";
