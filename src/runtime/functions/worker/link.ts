/**
 * The worker's end of the line: frames out through the worker's own
 * `postMessage`, which is taken from the scope before foreign code runs.
 *
 * @module
 */
import { FrameType } from "../frame.ts";
import { type BodyReceiver, type BodySender, readCredit } from "../body_link.ts";

/** One message between worker and process: type (u8), id (u32), payload. */
export const MESSAGE_HEADER_BYTES = 5;

export interface WorkerMessage {
  readonly type: number;
  readonly id: number;
  readonly payload: Uint8Array<ArrayBuffer>;
}

const EMPTY = new Uint8Array(0);
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const { parse, stringify } = JSON;

export function encodeMessage(
  type: number,
  id: number,
  payload: Uint8Array = EMPTY,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(MESSAGE_HEADER_BYTES + payload.byteLength);
  bytes[0] = type;
  new DataView(bytes.buffer).setUint32(1, id, true);
  bytes.set(payload, MESSAGE_HEADER_BYTES);
  return bytes;
}

/** Reads a message; `undefined` where it is none. */
export function decodeMessage(data: unknown): WorkerMessage | undefined {
  if (!(data instanceof Uint8Array) || !(data.buffer instanceof ArrayBuffer)) return undefined;
  if (data.byteLength < MESSAGE_HEADER_BYTES) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const payload = data.subarray(MESSAGE_HEADER_BYTES) as Uint8Array<ArrayBuffer>;
  return { type: view.getUint8(0), id: view.getUint32(1, true), payload };
}

/** Encodes a head as JSON. */
export function toPayload(head: object): Uint8Array<ArrayBuffer> {
  return encoder.encode(stringify(head));
}

/** Decodes a head that the platform sent. */
export function fromPayload<T>(payload: Uint8Array): T {
  return parse(decoder.decode(payload));
}

/** Sends to the platform, and keeps the bodies that are under way. */
export class WorkerLink {
  readonly senders = new Map<number, BodySender>();
  readonly receivers = new Map<number, BodyReceiver>();

  constructor(private readonly post: (message: Uint8Array) => void) {}

  send(type: number, id: number, payload?: Uint8Array): void {
    this.post(encodeMessage(type, id, payload));
  }

  sendHead(type: number, id: number, head: object): void {
    this.send(type, id, toPayload(head));
  }

  /** Takes a message about a body; false where it is about something else. */
  takeBodyMessage({ type, id, payload }: WorkerMessage): boolean {
    if (type === FrameType.chunk) this.receivers.get(id)?.chunk(payload);
    else if (type === FrameType.end) this.receivers.get(id)?.end();
    else if (type === FrameType.fail) {
      this.receivers.get(id)?.fail(new TypeError(decoder.decode(payload)));
    } else if (type === FrameType.credit) this.senders.get(id)?.grant(readCredit(payload));
    else if (type === FrameType.drop) this.senders.get(id)?.stop("Nobody reads the body");
    else return false;
    return true;
  }
}
