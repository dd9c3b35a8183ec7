/**
 * @module The frames between the platform and a process that runs project code: a fixed header and
 * a payload. Bodies are sent as bytes, and many calls share one connection.
 *
 * Layout, little-endian: payload length (u32), type (u8), worker (u16), ID (u32), payload. Both
 * ends define the meaning of type, worker and ID.
 *
 * This code also runs in threads of functions. Functions may have replaced array methods, so
 * neither `push` nor iteration is used here.
 */

export interface Frame {
  readonly type: number;
  readonly worker: number;
  readonly id: number;
  readonly payload: Uint8Array<ArrayBuffer>;
}

export const HEADER_BYTES = 11;

/** Maximum size of a payload unless a connection sets a different limit, in bytes. */
export const MAX_PAYLOAD_BYTES = 12 * 1024 * 1024;

const EMPTY = new Uint8Array(0);

function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

function readU32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24) >>> 0;
}

type NewFrame = Omit<Frame, "payload"> & { readonly payload?: Uint8Array | undefined };

/** Writes a frame at position `at`. The byte array must have room for the frame. */
export function writeFrame(frame: NewFrame, bytes: Uint8Array, at: number): void {
  const payload = frame.payload ?? EMPTY;
  writeU32(bytes, at, payload.byteLength);
  bytes[at + 4] = frame.type;
  bytes[at + 5] = frame.worker;
  bytes[at + 6] = frame.worker >>> 8;
  writeU32(bytes, at + 7, frame.id);
  bytes.set(payload, at + HEADER_BYTES);
}

export function encodeFrame(frame: NewFrame): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + (frame.payload?.byteLength ?? 0));
  writeFrame(frame, bytes, 0);
  return bytes;
}

/** An error for a peer that violated the protocol. The connection cannot continue. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/**
 * Splits a stream of bytes into frames. Each byte is copied once, regardless of how the stream is
 * split.
 */
export class FrameReader {
  readonly #header = new Uint8Array(HEADER_BYTES);
  #headerFilled = 0;
  /** Payload of the current frame, set once its header is complete. */
  #payload: Uint8Array<ArrayBuffer> | undefined;
  #payloadFilled = 0;

  readonly #maxPayload: number;

  /** Rejects payloads over `maxPayload` bytes. */
  constructor(maxPayload: number) {
    this.#maxPayload = maxPayload;
  }

  /**
   * Takes the next bytes and returns the completed frames. The payloads are copied.
   *
   * @throws ProtocolError if a frame is larger than allowed
   */
  feed(bytes: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    for (let at = 0;;) {
      while (this.#headerFilled < HEADER_BYTES && at < bytes.byteLength) {
        this.#header[this.#headerFilled++] = bytes[at++]!;
      }
      if (this.#headerFilled < HEADER_BYTES) return frames;
      const payload = this.#payload ??= this.#room();
      const wanted = payload.byteLength - this.#payloadFilled;
      const count = wanted < bytes.byteLength - at ? wanted : bytes.byteLength - at;
      if (count > 0) payload.set(bytes.subarray(at, at + count), this.#payloadFilled);
      if (count < wanted) {
        this.#payloadFilled += count;
        return frames;
      }
      at += count;
      frames[frames.length] = this.#frame(payload);
    }
  }

  #room(): Uint8Array<ArrayBuffer> {
    const length = readU32(this.#header, 0);
    if (length > this.#maxPayload) {
      throw new ProtocolError(`A frame has ${length} bytes; the limit is ${this.#maxPayload}`);
    }
    return length === 0 ? EMPTY : new Uint8Array(length);
  }

  #frame(payload: Uint8Array<ArrayBuffer>): Frame {
    const header = this.#header;
    this.#headerFilled = 0;
    this.#payload = undefined;
    this.#payloadFilled = 0;
    return {
      type: header[4]!,
      worker: header[5]! | header[6]! << 8,
      id: readU32(header, 7),
      payload,
    };
  }
}

/** Joins byte arrays into a new one. */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let total = 0;
  for (let index = 0; index < parts.length; index++) total += parts[index]!.byteLength;
  const joined = new Uint8Array(total);
  let at = 0;
  for (let index = 0; index < parts.length; index++) {
    joined.set(parts[index]!, at);
    at += parts[index]!.byteLength;
  }
  return joined;
}
