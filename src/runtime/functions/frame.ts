/**
 * The frames between the platform and a process that runs functions: a fixed
 * header and a payload, so that bodies travel as bytes and many calls share
 * one connection.
 *
 * Layout, little-endian: payload length (u32), type (u8), worker (u16),
 * id of the call or fetch (u32), payload. The worker's number is for the
 * process's own connection. Each worker has another one, where it says once
 * who it is and nobody asks that field again: no function can speak in the
 * name of another.
 *
 * This runs beside functions as well, who may have changed what arrays can
 * do: neither `push` nor iteration is used here.
 *
 * @module
 */

/** What a frame says. Numbers below 20 go to the function, the others come from it. */
export const FrameType = {
  /** To the process: start a worker; payload: the key by which it is known. */
  open: 7,
  /** To the process: end a worker at once. */
  stop: 2,
  /** Load the function; payload: the worker's settings and source as JSON. */
  start: 1,
  /** Call the function; payload: the call's head as JSON. */
  invoke: 3,
  /** The call's result is no longer wanted: abort it and say `settled`. */
  cancel: 4,
  /** The platform's answer to a `fetch`; payload: response head as JSON. */
  fetched: 5,
  /** A `fetch` failed; payload: message. */
  fetchFailed: 6,
  /** The worker has loaded its function. */
  ready: 20,
  /** The worker can not load its function; payload: error as JSON. */
  broken: 21,
  /** What the call came to; payload: result as JSON. */
  result: 22,
  /** Nothing of the call is running any more, `waitUntil` included. */
  settled: 23,
  /** One line for the log; payload: entry as JSON. */
  log: 24,
  /** Perform a `fetch`; payload: request as JSON. */
  fetch: 25,
  /** The `fetch` is no longer wanted. */
  abortFetch: 26,
  /** `result` and `settled` in one: most calls leave nothing running. */
  resultSettled: 28,
  /** Of the process: the worker has ended; payload: why, where it was not told to. */
  exited: 27,
  /** First of a worker's connection: its number, and as payload its key. */
  hello: 29,
  /** A part of a body, in either direction. */
  chunk: 40,
  /** The body is complete. */
  end: 41,
  /** The body broke off; payload: message. */
  fail: 42,
  /** The receiver takes so many more bytes (u32). */
  credit: 43,
  /** The receiver wants no more of the body. */
  drop: 44,
} as const;

export interface Frame {
  readonly type: number;
  readonly worker: number;
  readonly id: number;
  readonly payload: Uint8Array<ArrayBuffer>;
}

export const HEADER_BYTES = 11;

/** Largest payload: a function's source with its settings. */
export const MAX_PAYLOAD_BYTES = 12 * 1024 * 1024;

/** Largest payload that a function may send in one frame. */
export const MAX_UPWARD_BYTES = 512 * 1024;

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

/** Writes one frame. */
export function encodeFrame(frame: Omit<Frame, "payload"> & { payload?: Uint8Array }): Uint8Array {
  const payload = frame.payload ?? EMPTY;
  const bytes = new Uint8Array(HEADER_BYTES + payload.byteLength);
  writeU32(bytes, 0, payload.byteLength);
  bytes[4] = frame.type;
  bytes[5] = frame.worker;
  bytes[6] = frame.worker >>> 8;
  writeU32(bytes, 7, frame.id);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** A peer broke the protocol; the connection can not go on. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** Cuts a stream of bytes into frames. However it is cut, each byte is copied once. */
export class FrameReader {
  readonly #header = new Uint8Array(HEADER_BYTES);
  #headerFilled = 0;
  /** Of the frame whose header is complete. */
  #payload: Uint8Array<ArrayBuffer> | undefined;
  #payloadFilled = 0;

  /** Refuses payloads over `maxPayload` bytes. */
  constructor(private readonly maxPayload: number) {}

  /**
   * Takes the next bytes and returns the frames that are complete now. The
   * payloads are copies.
   *
   * @throws ProtocolError where a frame is larger than allowed
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
    if (length > this.maxPayload) {
      throw new ProtocolError(`Frame of ${length} bytes is over ${this.maxPayload}`);
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
