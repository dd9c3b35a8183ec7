/** @module An open WebSocket to a server, on a connection that was upgraded. */
import type { ByteReader } from "../../http1/byte_reader.ts";
import type { ComputeSocket } from "../types.ts";
import { encodeFrame, FrameParser, Opcode, SocketError } from "./frames.ts";
import { MessageJoiner, NO_CODE, type SocketEvent } from "./messages.ts";

/** Maximum size of a message from a server, in bytes. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** Time for the server to respond to a close frame, in milliseconds. */
const CLOSE_MS = 3000;

const READ_BYTES = 64 * 1024;

/** Close code for a lost connection (RFC 6455, 7.1.5). */
const BROKEN = 1006;

type Ended = { readonly code: number; readonly reason: string };

interface ClientSocketOptions {
  readonly conn: Deno.Conn;
  /** Contains the bytes after the headers of the upgrade response. */
  readonly reader: ByteReader;
  readonly protocol: string;
  /** Called once, when the connection is closed. */
  readonly over: () => void;
}

function closePayload(code: number | undefined, reason: string): Uint8Array {
  if (code === undefined || code === NO_CODE || code === BROKEN) return new Uint8Array(0);
  const text = new TextEncoder().encode(reason).subarray(0, 123);
  return Uint8Array.of(code >> 8, code & 255, ...text);
}

export class ClientSocket implements ComputeSocket {
  readonly messages: AsyncIterator<string | Uint8Array, Ended>;
  readonly #parser = new FrameParser(MAX_MESSAGE_BYTES);
  readonly #joiner = new MessageJoiner(MAX_MESSAGE_BYTES);
  #writing: Promise<void> = Promise.resolve();
  #closing = false;
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly #options: ClientSocketOptions;

  constructor(options: ClientSocketOptions) {
    this.#options = options;
    this.messages = this.#read();
  }

  get protocol(): string {
    return this.#options.protocol;
  }

  send(message: string | Uint8Array): Promise<void> {
    if (this.#closing) return Promise.resolve();
    return typeof message === "string"
      ? this.#write(Opcode.text, new TextEncoder().encode(message))
      : this.#write(Opcode.binary, message);
  }

  close(code?: number, reason = ""): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#write(Opcode.close, closePayload(code, reason)).catch(() => this.abort());
    this.#timer = setTimeout(() => this.abort(), CLOSE_MS);
    Deno.unrefTimer(Number(this.#timer));
  }

  /** Closes the connection without a close frame. */
  abort(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#closed = true;
    this.#closing = true;
    this.#options.conn.close();
    this.#options.over();
  }

  #write(opcode: number, payload: Uint8Array): Promise<void> {
    const frame = encodeFrame(opcode, payload, crypto.getRandomValues(new Uint8Array(4)));
    this.#writing = this.#writing.then(async () => {
      for (let at = 0; at < frame.byteLength;) {
        at += await this.#options.conn.write(frame.subarray(at));
      }
    }).catch(() => this.abort());
    return this.#writing;
  }

  async *#read(): AsyncGenerator<string | Uint8Array, Ended> {
    try {
      for (;;) {
        const event = await this.#next();
        if (event === undefined) return { code: BROKEN, reason: "" };
        if (event.type === "message") yield event.message;
        else if (event.type === "ping") await this.#write(Opcode.pong, event.payload);
        else {
          this.close(event.code, event.reason);
          await this.#writing;
          return { code: event.code, reason: event.reason };
        }
      }
    } catch (error) {
      if (!(error instanceof SocketError)) return { code: BROKEN, reason: "" };
      this.close(error.code, error.message);
      await this.#writing;
      return { code: error.code, reason: error.message };
    } finally {
      this.abort();
    }
  }

  async #next(): Promise<SocketEvent | undefined> {
    for (;;) {
      const frame = this.#parser.next();
      if (frame === undefined) {
        const bytes = await this.#options.reader.some(READ_BYTES);
        if (bytes === null) return undefined;
        this.#parser.push(bytes);
        continue;
      }
      const event = this.#joiner.take(frame);
      if (event !== undefined) return event;
    }
  }
}
