/** @module The messages of a session, read one chunk at a time. */
import { Buffer } from "node:buffer";
import type { BackendMessage } from "pg-protocol/dist/messages.js";
import { Parser } from "pg-protocol/dist/parser.js";
import type { BackendSession } from "../types.ts";
import { EngineError } from "../types.ts";
import { FrameScanner } from "../wire/frame_scanner.ts";

/** Maximum size of a message, and therefore of a row, in bytes. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export class MessageStream {
  readonly #parser = new Parser();
  readonly #scanner = new FrameScanner(MAX_MESSAGE_BYTES);

  readonly #session: BackendSession;

  constructor(session: BackendSession) {
    this.#session = session;
  }

  /**
   * Waits for the next message.
   *
   * @throws {EngineError} if the session has ended
   * @throws {ProtocolError} if a message is too long
   */
  async read(): Promise<readonly BackendMessage[]> {
    const value = await this.#session.read();
    if (value === null) throw new EngineError("The database ended the session", "57P02");
    this.#scanner.scan(value, () => {});
    const messages: BackendMessage[] = [];
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#parser.parse(bytes, (message) => messages.push(message));
    return messages;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#session.write(bytes);
  }
}
