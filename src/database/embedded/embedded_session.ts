/** @module A client's session with an embedded database: two bounded streams over frames. */
import type { BackendSession } from "../types.ts";
import { SESSION_WINDOW } from "./wire.ts";

/** Maximum number of buffered bytes for a client before the database waits for it. */
const OUTPUT_WINDOW = 1024 * 1024;

/** Maximum number of client bytes in one frame. */
const CHUNK_BYTES = 64 * 1024;

export interface SessionLink {
  send(bytes: Uint8Array): void;
  /** Called when the client has disconnected. */
  end(): void;
  cancel(): Promise<void>;
}

export class EmbeddedSession implements BackendSession {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>;
  readonly #greeting = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  #greeted: Uint8Array<ArrayBuffer> | undefined;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #writer!: WritableStreamDefaultController;
  #credit = SESSION_WINDOW;
  #credited: (() => void) | undefined;
  #drained: (() => void) | undefined;
  #isEnded = false;

  readonly #link: SessionLink;

  constructor(link: SessionLink) {
    this.#link = link;
    this.#greeting.promise.catch(() => {});
    this.readable = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#settleDrained(),
      cancel: () => this.close(),
    }, { highWaterMark: OUTPUT_WINDOW, size: (chunk) => chunk.byteLength });
    this.writable = new WritableStream({
      start: (controller) => void (this.#writer = controller),
      write: (bytes) => this.#write(bytes),
      close: () => this.close(),
      abort: () => this.close(),
    });
  }

  get greeting(): Uint8Array<ArrayBuffer> {
    return this.#greeted ?? new Uint8Array(0);
  }

  /** Resolves with the greeting; rejects if the session ends first. */
  get greeted(): Promise<unknown> {
    return this.#greeting.promise;
  }

  async #write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    for (let at = 0; at < bytes.byteLength && !this.#isEnded;) {
      while (this.#credit === 0 && !this.#isEnded) {
        await new Promise<void>((resolve) => this.#credited = resolve);
      }
      const part = bytes.subarray(at, at + Math.min(CHUNK_BYTES, this.#credit));
      this.#credit -= part.byteLength;
      at += part.byteLength;
      if (!this.#isEnded) this.#link.send(part);
    }
  }

  /** Called when the process has handled this many bytes. */
  credit(bytes: number): void {
    this.#credit += bytes;
    this.#credited?.();
  }

  /**
   * Sends bytes to the client.
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
    this.#controller.enqueue(bytes);
    if ((this.#controller.desiredSize ?? 0) > 0) return undefined;
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
    this.#greeting.reject(reason ?? new Error("The session has ended"));
    try {
      this.#controller.close();
    } catch { /* the client has cancelled it */ }
    try {
      this.#writer.error(reason ?? new Error("The session has ended"));
    } catch { /* the client has closed it */ }
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
