/**
 * @module A client's session with an embedded database: frames in both directions, with bounded
 * buffers.
 */
import type { BackendSession } from "../types.ts";
import { SESSION_WINDOW } from "./wire.ts";

/** Maximum number of bytes that are buffered for a client before the database waits. */
const OUTPUT_WINDOW = 1024 * 1024;

/** Maximum number of a client's bytes in one frame. */
const CHUNK_BYTES = 64 * 1024;

interface SessionLink {
  send(bytes: Uint8Array): void;
  /** Called when the client has disconnected. */
  end(): void;
  cancel(): Promise<void>;
}

export class EmbeddedSession implements BackendSession {
  readonly #greeting = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  #greeted: Uint8Array<ArrayBuffer> | undefined;
  /** Unread bytes from the database, and how many there are. */
  readonly #unread: Uint8Array<ArrayBuffer>[] = [];
  #unreadBytes = 0;
  /** Resolves the pending `read()`. */
  #wake: ((bytes: Uint8Array<ArrayBuffer> | null) => void) | undefined;
  #credit = SESSION_WINDOW;
  #credited: (() => void) | undefined;
  #drained: (() => void) | undefined;
  #isEnded = false;
  #reason = new Error("The session has ended");

  readonly #link: SessionLink;

  constructor(link: SessionLink) {
    this.#link = link;
    this.#greeting.promise.catch(() => {});
  }

  get greeting(): Uint8Array<ArrayBuffer> {
    return this.#greeted ?? new Uint8Array(0);
  }

  /** Resolves with the greeting. Rejects if the session ends before the greeting. */
  get greeted(): Promise<unknown> {
    return this.#greeting.promise;
  }

  async read(): Promise<Uint8Array<ArrayBuffer> | null> {
    const next = this.#unread.shift();
    if (next === undefined) {
      return this.#isEnded ? null : await new Promise((resolve) => this.#wake = resolve);
    }
    this.#unreadBytes -= next.byteLength;
    if (this.#unreadBytes < OUTPUT_WINDOW) this.#settleDrained();
    return next;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength;) {
      while (this.#credit === 0 && !this.#isEnded) {
        await new Promise<void>((resolve) => this.#credited = resolve);
      }
      if (this.#isEnded) throw this.#reason;
      const part = bytes.subarray(at, at + Math.min(CHUNK_BYTES, this.#credit));
      this.#credit -= part.byteLength;
      at += part.byteLength;
      this.#link.send(part);
    }
  }

  /** Called when the process has handled `bytes` more bytes. */
  credit(bytes: number): void {
    this.#credit += bytes;
    this.#credited?.();
  }

  /**
   * Sends `bytes` to the client.
   *
   * @returns a promise to wait for before sending more, if the client is slow
   */
  take(bytes: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    if (this.#isEnded) return undefined;
    if (this.#greeted === undefined) {
      this.#greeted = bytes;
      this.#greeting.resolve(bytes);
      return undefined;
    }
    if (this.#wake !== undefined) {
      this.#wake(bytes);
      this.#wake = undefined;
      return undefined;
    }
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.byteLength;
    if (this.#unreadBytes < OUTPUT_WINDOW) return undefined;
    return new Promise((resolve) => this.#drained = resolve);
  }

  #settleDrained(): void {
    this.#drained?.();
    this.#drained = undefined;
  }

  /** Called when the session has ended on the database's side. */
  ended(reason?: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (reason !== undefined) this.#reason = reason;
    this.#greeting.reject(this.#reason);
    this.#wake?.(null);
    this.#wake = undefined;
    this.#credited?.();
    this.#settleDrained();
  }

  cancel(): Promise<void> {
    return this.#isEnded ? Promise.resolve() : this.#link.cancel();
  }

  close(): Promise<void> {
    if (!this.#isEnded) {
      this.#link.end();
      this.ended();
    }
    return Promise.resolve();
  }
}
