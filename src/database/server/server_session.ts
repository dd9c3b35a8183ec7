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
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>;
  readonly #state = new SessionState();
  readonly #buffer = new Uint8Array(READ_BYTES);
  #closing: Promise<void> | undefined;

  readonly #server: ServerConnection;
  readonly #onClosed: () => void;

  constructor(server: ServerConnection, onClosed: () => void = () => {}) {
    this.#server = server;
    this.#onClosed = onClosed;
    this.greeting = server.greeting;
    this.readable = new ReadableStream({
      pull: (controller) => this.#read(controller),
      cancel: () => this.close(),
    }, { highWaterMark: 0 });
    this.writable = new WritableStream({
      write: (chunk) => this.#write(chunk),
      close: () => this.close(),
      abort: () => this.close(),
    });
  }

  async cancel(): Promise<void> {
    await this.#server.cancel();
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    // The server would finish the running statement before it notices the disconnect.
    if (this.#state.isIdle) await writeAll(this.#server.connection, TERMINATE).catch(() => {});
    else if (!this.#state.isOver) await this.#server.cancel().catch(() => {});
    closeQuietly(this.#server.connection);
    this.#onClosed();
  }

  async #read(
    controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>,
  ): Promise<void> {
    const count = await this.#server.connection.read(this.#buffer).catch(() => null);
    // Otherwise the client would only learn that its statement was cancelled, not why.
    if (count === null || this.#closing !== undefined) {
      controller.close();
      await this.close();
      return;
    }
    const chunk = this.#buffer.slice(0, count);
    this.#state.fromServer(chunk);
    controller.enqueue(chunk);
  }

  async #write(chunk: Uint8Array): Promise<void> {
    this.#state.fromClient(chunk);
    await writeAll(this.#server.connection, chunk);
  }
}
