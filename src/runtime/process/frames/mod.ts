/**
 * Frames between the platform and the processes of foreign code. Without
 * dependencies, because it also runs in the threads of that code.
 *
 * @module
 */
export { FairShare } from "./fair_share.ts";
export { encodeFrame, type Frame, FrameReader, MAX_PAYLOAD_BYTES, ProtocolError } from "./frame.ts";
export { FrameConnection, type OutgoingFrame } from "./frame_connection.ts";
export { LineLimit, type LogLevel, MAX_LOG_CHARACTERS } from "./log_lines.ts";
export { fromPayload, toPayload } from "./payload.ts";
