/** @module The worker's own connection to the platform, which functions cannot access. */
import type { Frame } from "../../process/frames/frame.ts";
import type { FrameConnection } from "../../process/frames/frame_connection.ts";
import { toPayload } from "../../process/frames/payload.ts";
import { type BodyReceiver, type BodySender, readCredit } from "../body_link.ts";
import { FunctionFrame } from "../wire.ts";

const decoder = new TextDecoder();

/** Sends frames to the platform, and tracks the bodies that are being transferred. */
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
      payload,
    });
  }

  sendHead(type: number, id: number, head: object): void {
    this.send(type, id, toPayload(head));
  }

  /** Handles a frame of a body. Returns false if the frame belongs to something else. */
  takeBodyFrame({ type, id, payload }: Frame): boolean {
    if (type === FunctionFrame.chunk) this.receivers.get(id)?.chunk(payload);
    else if (type === FunctionFrame.end) this.receivers.get(id)?.end();
    else if (type === FunctionFrame.fail) {
      this.receivers.get(id)?.brokeOff(new TypeError(decoder.decode(payload)));
    } else if (type === FunctionFrame.credit) this.senders.get(id)?.grant(readCredit(payload));
    else if (type === FunctionFrame.drop) this.senders.get(id)?.stop("Nothing reads the body");
    else return false;
    return true;
  }
}
