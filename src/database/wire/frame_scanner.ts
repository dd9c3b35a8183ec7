/** @module Finds the messages of the frontend/backend protocol in a stream of bytes. */

/** Size of the type byte and the length field. A length counts its own bytes. */
const HEADER_BYTES = 5;
const LENGTH_BYTES = 4;

/** The stream is not a sequence of messages, or one of them is too long. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/**
 * Called at the end of each message, with the message's last byte (the status, for
 * `ReadyForQuery`).
 */
type TakeFrame = (type: number, lastByte: number) => void;

/** Follows messages that arrive in chunks, without keeping their content. */
export class FrameScanner {
  readonly #header = new Uint8Array(HEADER_BYTES);
  readonly #maxBytes: number;
  #have = 0;
  #left = 0;

  /** @param maxBytes maximum size of a message */
  constructor(maxBytes = Infinity) {
    this.#maxBytes = maxBytes;
  }

  /** Whether the last chunk ended exactly at the end of a message. */
  get atBoundary(): boolean {
    return this.#have === 0 && this.#left === 0;
  }

  /** @throws {ProtocolError} */
  scan(chunk: Uint8Array, take: TakeFrame): void {
    let at = 0;
    while (at < chunk.byteLength) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, chunk.byteLength - at);
        at += step;
        this.#left -= step;
        if (this.#left === 0) take(this.#header[0]!, chunk[at - 1]!);
        continue;
      }
      this.#header[this.#have++] = chunk[at++]!;
      if (this.#have < HEADER_BYTES) continue;
      this.#have = 0;
      this.#left = this.#payloadBytes();
      if (this.#left === 0) take(this.#header[0]!, 0);
    }
  }

  #payloadBytes(): number {
    const [, a = 0, b = 0, c = 0, d = 0] = this.#header;
    const length = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
    if (length < LENGTH_BYTES || length > this.#maxBytes || length >= 2 ** 31) {
      throw new ProtocolError(`A message cannot have ${length} bytes`);
    }
    return length - LENGTH_BYTES;
  }
}
