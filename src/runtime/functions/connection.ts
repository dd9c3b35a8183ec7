/**
 * A connection that speaks in frames. All that is sent in one turn leaves in
 * one write.
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

const READ_BYTES = 64 * 1024;

export class FrameConnection {
  #outgoing: Uint8Array[] = [];
  #flushing = false;
  #closed = false;

  constructor(
    private readonly conn: Deno.Conn,
    private readonly maxPayload: number = MAX_PAYLOAD_BYTES,
  ) {}

  /** Queues a frame; after the connection's end it is dropped. */
  send(frame: OutgoingFrame): void {
    if (this.#closed) return;
    this.#outgoing.push(encodeFrame(frame));
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    try {
      while (this.#outgoing.length > 0 && !this.#closed) {
        const parts = this.#outgoing;
        this.#outgoing = [];
        const bytes = parts.length === 1 ? parts[0]! : concat(parts);
        for (let at = 0; at < bytes.byteLength;) at += await this.conn.write(bytes.subarray(at));
      }
    } catch {
      this.close();
    }
    this.#flushing = false;
  }

  /**
   * Calls `receive` for each frame until the peer closes.
   *
   * @throws ProtocolError where the peer breaks the protocol
   */
  async receive(take: (frame: Frame) => void): Promise<void> {
    const reader = new FrameReader(this.maxPayload);
    const buffer = new Uint8Array(READ_BYTES);
    while (!this.#closed) {
      const count = await this.conn.read(buffer).catch(() => null);
      if (count === null) return;
      for (const frame of reader.feed(buffer.subarray(0, count))) take(frame);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.conn.close();
  }
}
