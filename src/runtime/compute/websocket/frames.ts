/** @module Frames of the WebSocket protocol (RFC 6455, 5.2), as a client handles them. */

export const Opcode = {
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
} as const;

export interface SocketFrame {
  readonly opcode: number;
  /** Whether this is the last frame of its message. */
  readonly final: boolean;
  readonly payload: Uint8Array<ArrayBuffer>;
}

/** The peer violated the protocol; the socket closes with this code (RFC 6455, 7.4.1). */
export class SocketError extends Error {
  override readonly name = "SocketError";

  constructor(readonly code: number, message: string) {
    super(message);
  }
}

/** Maximum payload of a control frame, in bytes. */
const MAX_CONTROL = 125;

/** Writes one frame with a complete message, masked with four bytes of `mask`. */
export function encodeFrame(
  opcode: number,
  payload: Uint8Array,
  mask: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const length = payload.byteLength;
  const extra = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const start = 2 + extra + 4;
  const bytes = new Uint8Array(start + length);
  const view = new DataView(bytes.buffer);
  bytes[0] = 0x80 | opcode;
  bytes[1] = 0x80 | (extra === 0 ? length : extra === 2 ? 126 : 127);
  if (extra === 2) view.setUint16(2, length);
  else if (extra === 8) view.setBigUint64(2, BigInt(length));
  bytes.set(mask.subarray(0, 4), 2 + extra);
  for (let at = 0; at < length; at++) bytes[start + at] = payload[at]! ^ mask[at & 3]!;
  return bytes;
}

/** Splits a server's data into frames. */
export class FrameParser {
  #parts: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;

  readonly #maxPayload: number;

  /** Rejects payloads over `maxPayload` bytes. */
  constructor(maxPayload: number) {
    this.#maxPayload = maxPayload;
  }

  push(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.byteLength === 0) return;
    this.#parts.push(bytes);
    this.#bytes += bytes.byteLength;
  }

  /**
   * Returns the next frame, or `undefined` until more bytes have arrived.
   *
   * @throws SocketError
   */
  next(): SocketFrame | undefined {
    if (this.#bytes < 2) return undefined;
    const head = this.#peek(10);
    const [first, second] = [head[0]!, head[1]!];
    if ((first & 0x70) !== 0) throw new SocketError(1002, "A frame uses an unknown extension");
    if ((second & 0x80) !== 0) throw new SocketError(1002, "A frame from the server is masked");
    const opcode = first & 15;
    const final = (first & 0x80) !== 0;
    const short = second & 127;
    const extra = short < 126 ? 0 : short === 126 ? 2 : 8;
    if (this.#bytes < 2 + extra) return undefined;
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
    const length = extra === 0
      ? short
      : extra === 2
      ? view.getUint16(2)
      : Number(view.getBigUint64(2));
    if (opcode >= 8 && (!final || length > MAX_CONTROL)) {
      throw new SocketError(1002, "A control frame is too long or fragmented");
    }
    if (length > this.#maxPayload) throw new SocketError(1009, "A message is too large");
    if (this.#bytes < 2 + extra + length) return undefined;
    this.#take(2 + extra);
    return { opcode, final, payload: this.#take(length) };
  }

  #peek(count: number): Uint8Array<ArrayBuffer> {
    if (this.#parts[0]!.byteLength < Math.min(count, this.#bytes)) {
      const joined = new Uint8Array(this.#bytes);
      let at = 0;
      for (const part of this.#parts) {
        joined.set(part, at);
        at += part.byteLength;
      }
      this.#parts = [joined];
    }
    return this.#parts[0]!.subarray(0, count);
  }

  #take(count: number): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(count);
    for (let at = 0; at < count;) {
      const part = this.#parts[0]!;
      const piece = part.subarray(0, count - at);
      taken.set(piece, at);
      at += piece.byteLength;
      if (piece.byteLength === part.byteLength) this.#parts.shift();
      else this.#parts[0] = part.subarray(piece.byteLength);
    }
    this.#bytes -= count;
    return taken;
  }
}
