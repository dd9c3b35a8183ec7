/** @module A client's session on a PostgreSQL server. */
import type { BackendSession } from "../types.ts";
import { closeQuietly, writeAll } from "../wire/connection.ts";
import { message } from "../wire/messages.ts";
import { SessionState } from "../wire/session_state.ts";
import type { ServerConnection } from "./connect_server.ts";

const READ_BYTES = 64 * 1024;
const TERMINATE = message("X");

export class ServerSession implements BackendSession {
  readonly greeting: Uint8Array<ArrayBuffer>;
  readonly #state = new SessionState();
  readonly #buffer = new Uint8Array(READ_BYTES);
  #closing: Promise<void> | undefined;

  readonly #server: ServerConnection;
  readonly #onClosed: () => void;

  constructor(server: ServerConnection, onClosed: () => void = () => {}) {
    this.#server = server;
    this.#onClosed = onClosed;
    this.greeting = server.greeting;
  }

  async cancel(): Promise<void> {
    await this.#server.cancel();
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    // The server would finish the running statement before noticing the disconnect.
    if (this.#state.isIdle) await writeAll(this.#server.connection, TERMINATE).catch(() => {});
    else if (!this.#state.isOver) await this.#server.cancel().catch(() => {});
    closeQuietly(this.#server.connection);
    this.#onClosed();
  }

  async read(): Promise<Uint8Array<ArrayBuffer> | null> {
    const count = await this.#server.connection.read(this.#buffer).catch(() => null);
    // Otherwise, the client would only learn that its statement was cancelled, but not why.
    if (count === null || this.#closing !== undefined) {
      await this.close();
      return null;
    }
    const chunk = this.#buffer.slice(0, count);
    this.#state.fromServer(chunk);
    return chunk;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#state.fromClient(chunk);
    await writeAll(this.#server.connection, chunk);
  }
}
