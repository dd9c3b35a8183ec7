/**
 * A connection that speaks in frames. All that is sent in one turn leaves in
 * one write. Workers use it as well, beside a function that may have changed
 * the scope: what it needs of that it takes before, and neither `push` nor
 * iteration is used.
 *
 * @module
 */
import { concat, encodeFrame, type Frame, FrameReader, MAX_PAYLOAD_BYTES } from "./frame.ts";

export interface OutgoingFrame {
  readonly type: number;
  readonly worker: number;
  readonly id: number;
  readonly payload?: Uint8Array;
}

export interface ConnectionOptions {
  /** Bytes that may wait to be written; with more the connection ends. */
  readonly maxQueued?: number;
}

const READ_BYTES = 64 * 1024;

const soon = queueMicrotask.bind(globalThis);

export class FrameConnection {
  /** Private to the language: a function must not find it, whatever it gets hold of. */
  readonly #conn: Deno.Conn;
  readonly #maxPayload: number;
  readonly #maxQueued: number;
  #outgoing: Uint8Array[] = [];
  #queued = 0;
  #flushing = false;
  #closed = false;

  /** Refuses payloads over `maxPayload` bytes. */
  constructor(
    conn: Deno.Conn,
    maxPayload: number = MAX_PAYLOAD_BYTES,
    options: ConnectionOptions = {},
  ) {
    this.#conn = conn;
    this.#maxPayload = maxPayload;
    this.#maxQueued = options.maxQueued ?? Infinity;
  }

  /** Queues a frame; after the connection's end it is dropped. */
  send(frame: OutgoingFrame): void {
    if (this.#closed) return;
    const bytes = encodeFrame(frame);
    this.#queued += bytes.byteLength;
    if (this.#queued > this.#maxQueued) return this.close();
    this.#outgoing[this.#outgoing.length] = bytes;
    if (this.#flushing) return;
    this.#flushing = true;
    soon(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    try {
      while (this.#outgoing.length > 0 && !this.#closed) {
        const parts = this.#outgoing;
        this.#outgoing = [];
        const bytes = parts.length === 1 ? parts[0]! : concat(parts);
        for (let at = 0; at < bytes.byteLength;) at += await this.#conn.write(bytes.subarray(at));
        this.#queued -= bytes.byteLength;
      }
    } catch {
      this.close();
    }
    this.#flushing = false;
  }

  /**
   * Calls `take` for each frame until either side closes.
   *
   * @throws ProtocolError where the peer breaks the protocol
   */
  async receive(take: (frame: Frame) => void): Promise<void> {
    const reader = new FrameReader(this.#maxPayload);
    const buffer = new Uint8Array(READ_BYTES);
    while (!this.#closed) {
      const count = await this.#read(buffer);
      if (count === null) return;
      const frames = reader.feed(buffer.subarray(0, count));
      for (let index = 0; index < frames.length && !this.#closed; index++) take(frames[index]!);
    }
  }

  async #read(buffer: Uint8Array): Promise<number | null> {
    try {
      return await this.#conn.read(buffer);
    } catch {
      return null;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#outgoing = [];
    this.#conn.close();
  }
}
