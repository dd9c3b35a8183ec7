/** @module An authenticated session: relays bytes both ways, with back-pressure. */
import type { BackendSession } from "../types.ts";
import { closeQuietly, type Connection, writeAll } from "../wire/connection.ts";
import { type ErrorFields, errorResponse } from "../wire/messages.ts";
import { SessionState } from "../wire/session_state.ts";

const READ_BYTES = 64 * 1024;

/** Time for a client to read why its session was closed, in milliseconds. */
const FAREWELL_MS = 2_000;

const LOST: ErrorFields = {
  severity: "FATAL",
  sqlState: "57P02",
  message: "The database ended the connection",
  hint: "Connect again. Committed data is safe.",
};

export class ClientSession {
  readonly #state = new SessionState();
  #farewell: ErrorFields | undefined;
  #endsWhenIdle: ErrorFields | undefined;
  #cut: ReturnType<typeof setTimeout> | undefined;

  readonly #client: Connection;
  readonly #backend: BackendSession;

  constructor(client: Connection, backend: BackendSession) {
    this.#client = client;
    this.#backend = backend;
  }

  /** Passes bytes on until one of the two connections ends the session. */
  async run(): Promise<void> {
    try {
      await Promise.all([this.#passToBackend(), this.#passToClient()]);
    } finally {
      clearTimeout(this.#cut);
    }
  }

  /** Ends the session now, and tells the client why if possible. */
  async end(reason: ErrorFields): Promise<void> {
    if (this.#farewell === undefined) {
      this.#farewell = reason;
      this.#cut = setTimeout(() => closeQuietly(this.#client), FAREWELL_MS);
    }
    await this.#backend.close().catch(() => {});
  }

  /** Ends the session as soon as it is outside of a transaction. */
  endWhenIdle(reason: ErrorFields): void {
    this.#endsWhenIdle = reason;
    this.#endIfIdle();
  }

  #endIfIdle(): void {
    if (this.#endsWhenIdle === undefined || !this.#state.isIdle) return;
    this.end(this.#endsWhenIdle).catch(() => {});
  }

  async #passToBackend(): Promise<void> {
    const buffer = new Uint8Array(READ_BYTES);
    try {
      for (;;) {
        const count = await this.#client.read(buffer);
        if (count === null) break;
        const chunk = buffer.subarray(0, count);
        this.#state.fromClient(chunk);
        await this.#backend.write(chunk);
      }
    } catch {
      /* the client or the engine has disconnected */
    } finally {
      await this.#backend.close().catch(() => {});
    }
  }

  async #passToClient(): Promise<void> {
    try {
      for (;;) {
        const value = await this.#backend.read();
        if (value === null) break;
        this.#state.fromServer(value);
        await writeAll(this.#client, value);
        this.#endIfIdle();
      }
    } catch {
      await this.#backend.close().catch(() => {});
    }
    await this.#sayFarewell();
    closeQuietly(this.#client);
  }

  async #sayFarewell(): Promise<void> {
    const reason = this.#farewell ?? (this.#state.isOver ? undefined : LOST);
    if (reason === undefined || !this.#state.atServerBoundary) return;
    this.#cut ??= setTimeout(() => closeQuietly(this.#client), FAREWELL_MS);
    await writeAll(this.#client, errorResponse(reason)).catch(() => {});
  }
}
