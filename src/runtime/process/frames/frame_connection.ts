/**
 * @module A connection that sends and receives frames. Everything that is sent in one turn of the
 * event loop goes out in one write. Workers also use this module, and functions may have changed a
 * worker's global scope. This module therefore captures the globals that it needs when it loads,
 * and uses neither `push` nor iteration.
 */
import type { FairShare } from "./fair_share.ts";
import { concat, encodeFrame, type Frame, FrameReader, MAX_PAYLOAD_BYTES } from "./frame.ts";

interface OutgoingFrame {
  readonly type: number;
  readonly worker: number;
  readonly id: number;
  readonly payload?: Uint8Array;
}

interface ConnectionOptions {
  /**
   * Maximum number of bytes waiting to be written, including the cost of their frames. If this is
   * exceeded, the connection closes.
   */
  readonly maxQueued?: number;
  /**
   * Limits the fraction of this thread's time that received frames can take. Several connections
   * can have the same limit.
   */
  readonly share?: FairShare;
}

const READ_BYTES = 64 * 1024;

/**
 * Approximate memory that a frame takes in addition to its bytes. Many small frames are not cheap.
 */
export const FRAME_COST_BYTES = 256;

/** Number of frames to handle between two readings of the clock. */
const FRAMES_AT_ONCE = 64;

const soon = queueMicrotask.bind(globalThis);

export class FrameConnection {
  /** A language-level private field, which functions cannot access. */
  readonly #conn: Deno.Conn;
  readonly #maxPayload: number;
  readonly #maxQueued: number;
  readonly #share: FairShare | undefined;
  /** Ends the current pause of this connection. */
  #resume: (() => void) | undefined;
  #outgoing: Uint8Array[] = [];
  #queued = 0;
  #flushing = false;
  #closed = false;

  /** Rejects payloads over `maxPayload` bytes. */
  constructor(
    conn: Deno.Conn,
    maxPayload: number = MAX_PAYLOAD_BYTES,
    options: ConnectionOptions = {},
  ) {
    this.#conn = conn;
    this.#maxPayload = maxPayload;
    this.#maxQueued = options.maxQueued ?? Infinity;
    this.#share = options.share;
  }

  /** Queues a frame. After the connection has closed, frames are dropped. */
  send(frame: OutgoingFrame): void {
    if (this.#closed) return;
    const bytes = encodeFrame(frame);
    this.#queued += bytes.byteLength + FRAME_COST_BYTES;
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
        this.#queued -= bytes.byteLength + parts.length * FRAME_COST_BYTES;
      }
    } catch {
      this.close();
    }
    this.#flushing = false;
  }

  /**
   * Calls `take` for each frame until either side closes.
   *
   * @throws ProtocolError if the peer violates the protocol
   */
  async receive(take: (frame: Frame) => void): Promise<void> {
    const reader = new FrameReader(this.#maxPayload);
    const buffer = new Uint8Array(READ_BYTES);
    while (!this.#closed) {
      const count = await this.#read(buffer);
      if (count === null) return;
      this.#share?.begin();
      const frames = reader.feed(buffer.subarray(0, count));
      for (let index = 0; index < frames.length && !this.#closed;) {
        take(frames[index]!);
        index++;
        if (this.#share === undefined || index % FRAMES_AT_ONCE > 0 && index < frames.length) {
          continue;
        }
        const pause = this.#share.book();
        if (pause === 0) continue;
        await this.#wait(pause);
        this.#share.begin();
      }
    }
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
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
    this.#resume?.();
    this.#conn.close();
  }
}
