/**
 * The frames between the platform and a process that runs functions: a fixed
 * header and a payload, so that bodies travel as bytes and many calls share
 * one connection.
 *
 * Layout, little-endian: payload length (u32), type (u8), worker (u16),
 * id of the call or fetch (u32), payload. The process stamps the worker's
 * number itself, so that no function can speak in the name of another.
 *
 * @module
 */

/** What a frame says. Numbers below 20 go to the function, the others come from it. */
export const FrameType = {
  /** Start a worker; payload: the worker's settings and source as JSON. */
  start: 1,
  /** End a worker at once. */
  stop: 2,
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
  /** The worker has ended by itself. */
  exited: 27,
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

/** Writes one frame. */
export function encodeFrame(frame: Omit<Frame, "payload"> & { payload?: Uint8Array }): Uint8Array {
  const payload = frame.payload ?? EMPTY;
  const bytes = new Uint8Array(HEADER_BYTES + payload.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.byteLength, true);
  bytes[4] = frame.type;
  view.setUint16(5, frame.worker, true);
  view.setUint32(7, frame.id, true);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** A peer broke the protocol; the connection can not go on. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  #kept: Uint8Array<ArrayBuffer> = EMPTY;

  /** Refuses payloads over `maxPayload` bytes. */
  constructor(private readonly maxPayload: number) {}

  /**
   * Takes the next bytes and returns the frames that are complete now. The
   * payloads are copies.
   *
   * @throws ProtocolError where a frame is larger than allowed
   */
  feed(bytes: Uint8Array): Frame[] {
    const data = this.#kept.byteLength === 0 ? bytes : concat([this.#kept, bytes]);
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const frames: Frame[] = [];
    let at = 0;
    while (data.byteLength - at >= HEADER_BYTES) {
      const length = view.getUint32(at, true);
      if (length > this.maxPayload) {
        throw new ProtocolError(`Frame of ${length} bytes is over ${this.maxPayload}`);
      }
      const start = at + HEADER_BYTES;
      if (data.byteLength < start + length) break;
      frames.push({
        type: data[at + 4]!,
        worker: view.getUint16(at + 5, true),
        id: view.getUint32(at + 7, true),
        payload: data.slice(start, start + length) as Uint8Array<ArrayBuffer>,
      });
      at = start + length;
    }
    this.#kept = at === data.byteLength ? EMPTY : data.slice(at) as Uint8Array<ArrayBuffer>;
    return frames;
  }
}

/** Joins byte arrays into a new one. */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((total, part) => total + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.byteLength;
  }
  return joined;
}
