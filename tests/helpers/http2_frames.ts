/**
 * Writes HTTP/2 frame by frame (RFC 9113), for clients that behave as no library does.
 *
 * @module
 */
import { Buffer } from "node:buffer";

/** Frame types. */
export const FRAME = {
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

const END_STREAM = 1;
const END_HEADERS = 4;

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Encodes a field without indexing and without Huffman coding (RFC 7541, 6.2.2). */
const literal = (name: string, value: string): Buffer =>
  Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);

/** Encodes the start of a connection on which the server may send only headers. */
export const helloWithoutWindow = (): Buffer =>
  Buffer.concat([
    Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    frame(FRAME.settings, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])),
  ]);

/** Encodes a complete `GET` request. */
export function get(stream: number, host: string, path: string, flags = END_STREAM | END_HEADERS) {
  const fields = { ":method": "GET", ":scheme": "http", ":authority": host, ":path": path };
  const head = Object.entries(fields).map(([name, value]) => literal(name, value));
  return frame(FRAME.headers, flags, stream, Buffer.concat(head));
}

/** Encodes a request whose headers continue in later frames. */
export const unfinishedGet = (stream: number, host: string) => get(stream, host, "/", END_STREAM);

export const reset = (stream: number) => frame(FRAME.reset, 0, stream, number(8));

/** Encodes a window increment of zero, which makes the server reset a stream. */
export const zeroIncrement = (stream: number) => frame(FRAME.windowUpdate, 0, stream, number(0));

export const ping = () => frame(FRAME.ping, 0, 0, Buffer.alloc(8));

/** Encodes a continuation frame that is not the last one. */
export const moreOfHead = (stream: number) =>
  frame(FRAME.continuation, 0, stream, literal("x-more", "a".repeat(100)));
