/** @module Tracks whether a session is between transactions, based on the session's messages. */
import { FrameScanner } from "./frame_scanner.ts";

const code = (letter: string): number => letter.charCodeAt(0);

/** Types of messages that each lead to one `ReadyForQuery` from the server. */
const ANSWERED: ReadonlySet<number> = new Set(["Q", "F", "S"].map(code));
const SYNC = code("S");
const TERMINATE = code("X");
/** Parts of a COPY belong to the current statement. */
const COPY_PARTS: ReadonlySet<number> = new Set(["d", "c", "f"].map(code));
const READY = code("Z");
const ERROR = code("E");
const OUTSIDE_TRANSACTION = code("I");

/** Follows both directions of a session. If in doubt, the session counts as not idle. */
export class SessionState {
  readonly #client = new FrameScanner();
  readonly #server = new FrameScanner();
  #unanswered = 0;
  #unsynced = false;
  #outside = true;
  #terminated = false;
  #lastServerType = 0;

  /**
   * Whether the session is outside of a transaction, and the server has responded to every message.
   */
  get isIdle(): boolean {
    return this.#outside && this.#unanswered === 0 && !this.#unsynced && !this.#terminated &&
      this.#client.atBoundary && this.#server.atBoundary;
  }

  /** Whether a message may be inserted between the server's messages. */
  get atServerBoundary(): boolean {
    return this.#server.atBoundary;
  }

  /**
   * Whether the client has ended the session, or the server's last message is an error, which may
   * explain the end.
   */
  get isOver(): boolean {
    return this.#terminated || this.#lastServerType === ERROR;
  }

  /** @throws {ProtocolError} */
  fromClient(chunk: Uint8Array): void {
    this.#client.scan(chunk, (type) => {
      if (ANSWERED.has(type)) {
        this.#unanswered++;
        if (type === SYNC) this.#unsynced = false;
      } else if (type === TERMINATE) {
        this.#terminated = true;
      } else if (!COPY_PARTS.has(type)) {
        this.#unsynced = true;
      }
    });
  }

  /** @throws {ProtocolError} */
  fromServer(chunk: Uint8Array): void {
    this.#server.scan(chunk, (type, lastByte) => {
      this.#lastServerType = type;
      if (type !== READY) return;
      if (this.#unanswered > 0) this.#unanswered--;
      this.#outside = lastByte === OUTSIDE_TRANSACTION;
    });
  }
}
