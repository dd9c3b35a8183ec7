/**
 * The worker's end of the line: frames out through the worker's own
 * connection, which no function can find.
 *
 * @module
 */
import { type BodyReceiver, type BodySender, readCredit } from "../body_link.ts";
import type { FrameConnection } from "../connection.ts";
import { type Frame, FrameType } from "../frame.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const { parse, stringify } = JSON;

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

  readonly #connection: FrameConnection;

  constructor(connection: FrameConnection) {
    this.#connection = connection;
  }

  send(type: number, id: number, payload?: Uint8Array): void {
    this.#connection.send({
      type,
      worker: 0,
      id,
      ...(payload === undefined ? {} : { payload }),
    });
  }

  sendHead(type: number, id: number, head: object): void {
    this.send(type, id, toPayload(head));
  }

  /** Takes a frame about a body; false where it is about something else. */
  takeBodyFrame({ type, id, payload }: Frame): boolean {
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
