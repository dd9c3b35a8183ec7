/**
 * The platform's end of a client's WebSocket that an edge thread holds.
 *
 * @module
 */
import type { ClientSocket } from "../../edge/mod.ts";
import { alone } from "./batch_port.ts";

interface Actions {
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code: number | undefined, reason: string): void;
}

/** A close without a status (RFC 6455, 7.4.1). */
const ABNORMAL = 1006;

export class ForwardedSocket implements ClientSocket {
  binaryType: BinaryType = "arraybuffer";
  /** Bytes that the client has not taken yet. */
  bufferedAmount = 0;
  readyState: number = WebSocket.CONNECTING;
  onopen: ClientSocket["onopen"] = null;
  onmessage: ClientSocket["onmessage"] = null;
  onclose: ClientSocket["onclose"] = null;
  onerror: ClientSocket["onerror"] = null;

  constructor(private readonly actions: Actions) {}

  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (this.readyState !== WebSocket.OPEN) return;
    this.bufferedAmount += data.length;
    this.actions.send(typeof data === "string" ? data : alone(data));
  }

  close(code?: number, reason = ""): void {
    if (this.readyState >= WebSocket.CLOSING) return;
    this.readyState = WebSocket.CLOSING;
    this.actions.close(code, reason);
  }

  /** The client's connection was upgraded. */
  opened(): void {
    if (this.readyState !== WebSocket.CONNECTING) return;
    this.readyState = WebSocket.OPEN;
    this.#emit("onopen", new Event("open"));
  }

  /** The client sent a message. */
  received(data: string | Uint8Array<ArrayBuffer>): void {
    const message = typeof data === "string" ? data : data.buffer;
    this.#emit("onmessage", new MessageEvent("message", { data: message }));
  }

  /** The client has taken that many bytes. */
  taken(bytes: number): void {
    this.bufferedAmount = Math.max(0, this.bufferedAmount - bytes);
  }

  /** The client's connection has ended. */
  closed(code = ABNORMAL, reason = ""): void {
    if (this.readyState === WebSocket.CLOSED) return;
    this.readyState = WebSocket.CLOSED;
    this.bufferedAmount = 0;
    this.#emit("onclose", new CloseEvent("close", { code, reason }));
  }

  #emit<Name extends "onopen" | "onmessage" | "onclose">(
    name: Name,
    event: Parameters<NonNullable<ClientSocket[Name]>>[0],
  ): void {
    const handler = this[name] as ((event: unknown) => void) | null;
    handler?.(event);
  }
}
