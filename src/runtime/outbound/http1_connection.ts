/**
 * One connection and the requests that it carries, one after the other.
 *
 * @module
 */
import { readBody } from "./body_reader.ts";
import { ByteReader } from "./byte_reader.ts";
import { OutboundError } from "./errors.ts";
import { formatRequestHead, parseResponseHead, type ResponseHead } from "./http1_head.ts";
import type { HeaderList } from "./types.ts";

const MAX_HEAD_BYTES = 60 * 1024;
const MAX_INTERIM = 10;

export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: HeaderList;
  readonly body: ReadableStream<Uint8Array> | null;
  /** Bytes of the body; sent in chunks where missing. */
  readonly length?: number;
}

export interface WireAnswer {
  readonly head: ResponseHead;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

export interface ExchangeOptions {
  readonly idleMs: number;
  /** Called once when the exchange is over; `reusable` where another may follow. */
  readonly done: (reusable: boolean) => void;
}

const encoder = new TextEncoder();
const CRLF = encoder.encode("\r\n");
const LAST_CHUNK = encoder.encode("0\r\n\r\n");

function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

export class Http1Connection {
  readonly #reader: ByteReader;
  #idle: Promise<boolean> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failure: OutboundError | undefined;
  #uploading: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #closed = false;
  #idleMs = 0;
  /** Requests sent so far. */
  used = 0;

  constructor(private readonly conn: Deno.Conn) {
    this.#reader = new ByteReader((buffer) => this.#read(buffer));
  }

  async #read(buffer: Uint8Array<ArrayBuffer>): Promise<number | null> {
    try {
      return await this.conn.read(buffer);
    } catch (cause) {
      throw this.#failure ??
        new OutboundError("reset", "The connection broke while the answer was read", { cause });
    }
  }

  /** Watches the connection while nothing is asked of it; `gone` is called when it is of no use. */
  rest(gone: () => void): void {
    this.conn.unref();
    this.#idle = this.#reader.fill();
    this.#idle.then(
      () => this.#idle !== undefined && gone(),
      () => this.#idle !== undefined && gone(),
    );
  }

  /** Ends the connection; what waits on it fails with `failure`. */
  close(failure?: OutboundError): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#closed = true;
    this.#failure = failure;
    this.#uploading?.cancel(failure).catch(() => {});
    this.conn.close();
  }

  /** Restarts the idle time: a byte has moved, or is waited for now. */
  #touch(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.close(new OutboundError("idle_timeout", "Nothing came for too long"));
    }, this.#idleMs);
  }

  /**
   * Sends a request and reads the head of its answer.
   *
   * @throws OutboundError
   */
  async exchange(request: WireRequest, options: ExchangeOptions): Promise<WireAnswer> {
    this.#idleMs = options.idleMs;
    this.used++;
    let finished = false;
    const done = (reusable: boolean): void => {
      if (finished) return;
      finished = true;
      clearTimeout(this.#timer);
      if (!reusable) this.close();
      options.done(reusable);
    };
    try {
      this.#touch();
      const head = latin1Bytes(formatRequestHead(request.method, request.target, request.headers));
      const watched = this.#idle;
      this.#idle = undefined;
      if (watched !== undefined) this.conn.ref();
      await this.#write(head);
      const upload = { over: request.body === null };
      if (request.body !== null) {
        this.#upload(request.body, request.length).then(
          () => upload.over = true,
          (error) => this.close(error),
        );
      }
      // The read that watched the resting connection is the first of the answer.
      if (watched !== undefined && !await watched) {
        throw new OutboundError("reset", "The connection had ended");
      }
      const answer = await this.#readHead(request.method);
      return { head: answer, body: this.#body(answer, { upload, done }) };
    } catch (error) {
      done(false);
      throw this.#failure ?? error;
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.byteLength;) {
        at += await this.conn.write(bytes.subarray(at));
        this.#touch();
      }
    } catch (cause) {
      throw this.#failure ??
        new OutboundError("reset", "The connection broke while the request was sent", { cause });
    }
  }

  async #upload(body: ReadableStream<Uint8Array>, length: number | undefined): Promise<void> {
    const reader = body.getReader();
    this.#uploading = reader;
    let sent = 0;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        sent += value.byteLength;
        if (length !== undefined && sent > length) break;
        if (value.byteLength === 0) continue;
        if (length === undefined) {
          await this.#write(encoder.encode(`${value.byteLength.toString(16)}\r\n`));
          await this.#write(value);
          await this.#write(CRLF);
        } else await this.#write(value);
      }
      if (length === undefined) await this.#write(LAST_CHUNK);
      else if (sent !== length) {
        throw new OutboundError(
          "bad_request",
          "The body is not as long as its content-length says",
        );
      }
    } catch (error) {
      reader.cancel(error).catch(() => {});
      throw error instanceof OutboundError
        ? error
        : new OutboundError("aborted", "The body of the request broke off", { cause: error });
    }
  }

  async #readHead(method: string): Promise<ResponseHead> {
    for (let interim = 0; interim <= MAX_INTERIM; interim++) {
      const head = parseResponseHead(await this.#reader.until("head", MAX_HEAD_BYTES), method);
      if (head.status === 101) {
        throw new OutboundError("bad_response", "The answer switches protocols unasked");
      }
      if (head.status >= 200) return head;
    }
    throw new OutboundError("bad_response", "The answer has too many interim answers");
  }

  #body(
    head: ResponseHead,
    exchange: {
      readonly upload: { readonly over: boolean };
      readonly done: (reusable: boolean) => void;
    },
  ): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    const finish = (): void =>
      exchange.done(head.keepAlive && exchange.upload.over && this.#reader.buffered === 0);
    if (head.framing.type === "none") {
      finish();
      return null;
    }
    clearTimeout(this.#timer);
    const next = readBody(this.#reader, head.framing);
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        try {
          if (this.#reader.buffered === 0) this.#touch();
          const part = await next();
          clearTimeout(this.#timer);
          if (part !== null) return controller.enqueue(part);
          finish();
          controller.close();
        } catch (error) {
          exchange.done(false);
          controller.error(this.#failure ?? error);
        }
      },
      cancel: () => exchange.done(false),
    }, { highWaterMark: 0 });
  }
}
