/**
 * @module Assembles messages from frames: joins fragments and checks text (RFC 6455, 5.4 to 5.6).
 */
import { Opcode, SocketError, type SocketFrame } from "./frames.ts";

export type SocketEvent =
  | { readonly type: "message"; readonly message: string | Uint8Array<ArrayBuffer> }
  | { readonly type: "ping"; readonly payload: Uint8Array<ArrayBuffer> }
  | { readonly type: "close"; readonly code: number; readonly reason: string };

/** Close code for a peer that closed without a code (RFC 6455, 7.1.5). */
export const NO_CODE = 1005;

function text(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SocketError(1007, "A text message is not UTF-8");
  }
}

function readClose(payload: Uint8Array): SocketEvent {
  if (payload.byteLength === 0) return { type: "close", code: NO_CODE, reason: "" };
  if (payload.byteLength === 1) throw new SocketError(1002, "A close frame has an incomplete code");
  const code = payload[0]! << 8 | payload[1]!;
  return { type: "close", code, reason: text(payload.subarray(2)) };
}

/** Minimum size of the buffer for a fragmented message, in bytes. */
const FIRST_ROOM = 4096;

export class MessageJoiner {
  #opcode = 0;
  /**
   * The received part of a message. The message's frames are not kept, because a peer can send any
   * number of empty frames.
   */
  #begun = new Uint8Array(0);
  #bytes = 0;

  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Adds a frame, and returns the message that it completes.
   *
   * @throws SocketError
   */
  take({ opcode, final, payload }: SocketFrame): SocketEvent | undefined {
    switch (opcode) {
      case Opcode.ping:
        return { type: "ping", payload };
      case Opcode.pong:
        return undefined;
      case Opcode.close:
        return readClose(payload);
      case Opcode.text:
      case Opcode.binary:
        if (this.#opcode !== 0) throw new SocketError(1002, "A message begins inside another");
        this.#opcode = opcode;
        break;
      case Opcode.continuation:
        if (this.#opcode === 0) throw new SocketError(1002, "A continuation frame has no message");
        break;
      default:
        throw new SocketError(1002, "A frame has an unknown type");
    }
    if (this.#bytes + payload.byteLength > this.#maxBytes) {
      throw new SocketError(1009, "A message is too large");
    }
    const isWhole = final && this.#bytes === 0;
    if (!isWhole) this.#append(payload);
    if (!final) return undefined;
    const bytes = isWhole ? payload : this.#begun.slice(0, this.#bytes);
    const message = this.#opcode === Opcode.text ? text(bytes) : bytes;
    this.#opcode = 0;
    this.#begun = new Uint8Array(0);
    this.#bytes = 0;
    return { type: "message", message };
  }

  #append(payload: Uint8Array): void {
    const bytes = this.#bytes + payload.byteLength;
    if (bytes > this.#begun.byteLength) {
      const room = Math.min(this.#maxBytes, Math.max(FIRST_ROOM, 2 * bytes));
      const larger = new Uint8Array(room);
      larger.set(this.#begun.subarray(0, this.#bytes));
      this.#begun = larger;
    }
    this.#begun.set(payload, this.#bytes);
    this.#bytes = bytes;
  }
}
