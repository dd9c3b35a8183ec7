/** @module A connection, and the requests that are sent over it one after another. */
import { Buffer } from "node:buffer";
import { readBody } from "./body_reader.ts";
import { BUFFER_BYTES, ByteReader, type WholeBody } from "./byte_reader.ts";
import { Deadline, type Deadlines } from "./deadlines.ts";
import { OutboundError } from "./errors.ts";
import { ExchangeWatch, type WatchOptions } from "./exchange_watch.ts";
import {
  formatRequestHead,
  type HeaderList,
  parseResponseHead,
  type ResponseHead,
} from "./head.ts";
import { sendBody } from "./request_body.ts";

const MAX_HEAD_BYTES = 60 * 1024;
const MAX_INTERIM = 10;

/** How long to wait for the rest of a short body, in milliseconds. */
const SHORT_BODY_MS = 10;

/** Size of the buffer for headers, in bytes. Most requests have shorter headers. */
const USUAL_HEAD_BYTES = 2048;

export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: HeaderList;
  readonly body: ReadableStream<Uint8Array> | null;
  /** Length of the body in bytes; by default, the body is sent in chunks. */
  readonly length?: number;
}

type Bytes = Uint8Array<ArrayBuffer>;

export interface WireAnswer {
  readonly head: ResponseHead;
  /** The body. It is not a stream if all of it arrived with the headers. */
  readonly body: ReadableStream<Bytes> | WholeBody | null;
}

export interface ConnectionTimes {
  readonly deadlines: Deadlines;
  /** Deadlines within an exchange. They are checked more often than `deadlines`. */
  readonly exchanges: Deadlines;
  /** Maximum time without any data during an exchange, in milliseconds. */
  readonly idleMs: number;
  /** Maximum time between two exchanges, in milliseconds. */
  readonly keepAliveMs: number;
}

interface ExchangeOptions extends WatchOptions {
  /** Called once when the exchange is over; `reusable` is true if another exchange can follow. */
  readonly done: (reusable: boolean) => void;
}

const encoder = new TextEncoder();

/**
 * Reads heads until the final head: the head of the response, or a 101 that switches protocols.
 *
 * @throws OutboundError
 */
export async function readFinalHead(reader: ByteReader, method: string): Promise<ResponseHead> {
  for (let interim = 0; interim <= MAX_INTERIM; interim++) {
    const head = parseResponseHead(await reader.until("head", MAX_HEAD_BYTES), method);
    if (head.status >= 200 || head.status === 101) return head;
  }
  throw new OutboundError("bad_response", "The server sent too many interim responses");
}

export class Http1Connection {
  readonly #reader: ByteReader;
  readonly #watch: ExchangeWatch;
  /** Ends the current exchange. */
  #done: (reusable: boolean) => void = () => {};
  readonly #headBytes = new Uint8Array(USUAL_HEAD_BYTES);
  #idle: Promise<boolean> | undefined;
  #failure: OutboundError | undefined;
  #uploading: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #closed = false;
  /** Number of requests sent so far. */
  used = 0;

  /** Takes the idle connection out of the pool. */
  #gone: (() => void) | undefined;
  readonly #deadline = new Deadline(() => {
    if (this.#gone !== undefined) return this.#gone();
    this.close(new OutboundError("idle_timeout", "No data arrived for too long"));
  });

  readonly #conn: Deno.Conn;
  readonly #times: ConnectionTimes;

  constructor(conn: Deno.Conn, times: ConnectionTimes) {
    this.#conn = conn;
    this.#times = times;
    this.#reader = new ByteReader((buffer) => this.#read(buffer));
    this.#watch = new ExchangeWatch(times.exchanges, (failure) => {
      this.close(failure);
      this.#done(false);
    });
  }

  async #read(buffer: Uint8Array<ArrayBuffer>): Promise<number | null> {
    try {
      return await this.#conn.read(buffer);
    } catch (cause) {
      throw this.#failure ??
        new OutboundError("reset", "The connection was lost during the response", { cause });
    }
  }

  /**
   * Waits before the first request until the server sends something, which shows that it has
   * accepted the connection. Waits no longer than the given number of milliseconds.
   *
   * @throws OutboundError if the connection closes
   */
  async greeted(milliseconds: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<"late">();
    const deadline = new Deadline(() => resolve("late"));
    this.#times.exchanges.set(deadline, milliseconds);
    const came = await Promise.race([this.#reader.fill(), late]);
    deadline.at = Infinity;
    if (came === false) {
      throw new OutboundError("reset", "The connection was closed before it was accepted");
    }
  }

  /**
   * Watches the connection between two exchanges. Calls `gone` when the connection can no longer be
   * used.
   */
  watchIdle(gone: () => void): void {
    this.#gone = gone;
    this.#conn.unref();
    this.#times.deadlines.set(this.#deadline, this.#times.keepAliveMs);
    this.#idle = this.#reader.fill();
    this.#idle.then(
      () => this.#idle !== undefined && gone(),
      () => this.#idle !== undefined && gone(),
    );
  }

  /** Closes the connection. Work that is waiting for it fails with `failure`. */
  close(failure?: OutboundError): void {
    this.#deadline.at = Infinity;
    if (this.#closed) return;
    this.#closed = true;
    this.#failure = failure;
    this.#uploading?.cancel(failure).catch(() => {});
    this.#conn.close();
  }

  /** Restarts the idle time, because data was transferred or is now awaited. */
  #touch(): void {
    if (!this.#closed) this.#times.deadlines.set(this.#deadline, this.#times.idleMs);
  }

  /**
   * Sends a request and reads the headers of its response.
   *
   * @throws OutboundError
   */
  async exchange(request: WireRequest, options: ExchangeOptions): Promise<WireAnswer> {
    this.used++;
    let finished = false;
    const done = (reusable: boolean): void => {
      if (finished) return;
      finished = true;
      this.#watch.stop();
      this.#deadline.at = Infinity;
      if (!reusable) this.close();
      options.done(reusable);
    };
    this.#done = done;
    this.#watch.start(options);
    try {
      this.#touch();
      const { method, target, headers } = request;
      const head = this.#encode(formatRequestHead(method, target, headers));
      const watched = this.#idle;
      this.#idle = this.#gone = undefined;
      if (watched !== undefined) this.#conn.ref();
      await this.#write(head);
      const upload = { over: request.body === null };
      if (request.body !== null) {
        this.#upload(request.body, request.length).then(
          () => upload.over = true,
          // A server that closes the connection without reading the body may already have sent its
          // response.
          (error) => error.code !== "reset" && this.close(error),
        );
      }
      // The read that watched the idle connection is the first read of the response.
      if (watched !== undefined && !await watched) {
        throw new OutboundError("reset", "The connection had already ended");
      }
      const answer = await readFinalHead(this.#reader, request.method);
      if (answer.status === 101) {
        throw new OutboundError(
          "bad_response",
          "The response switches protocols although the request did not ask for it",
        );
      }
      this.#watch.headCame();
      const { framing } = answer;
      if (framing.type === "length" && this.#isShort(framing.length)) {
        await this.#awaitShort(framing.length);
      }
      if (this.#failure !== undefined) throw this.#failure;
      const body = this.#body(answer, { upload, done });
      if (body instanceof ReadableStream) {
        this.#watch.attachSignal();
        if (this.#failure !== undefined) throw this.#failure;
      }
      return { head: answer, body };
    } catch (error) {
      done(false);
      throw this.#failure ?? error;
    }
  }

  /**
   * Turns each character into a byte. Most headers fit into the existing buffer, which saves a
   * sixth of the work.
   */
  #encode(head: string): Uint8Array {
    const { read, written } = encoder.encodeInto(head, this.#headBytes);
    return read === head.length && written === read
      ? this.#headBytes.subarray(0, written)
      : Buffer.from(head, "latin1");
  }

  async #write(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.byteLength;) {
        at += await this.#conn.write(at === 0 ? bytes : bytes.subarray(at));
        this.#touch();
      }
    } catch (cause) {
      throw this.#failure ??
        new OutboundError("reset", "The connection was lost during the request", { cause });
    }
  }

  async #upload(body: ReadableStream<Uint8Array>, length: number | undefined): Promise<void> {
    const reader = body.getReader();
    this.#uploading = reader;
    await sendBody(reader, length, (bytes) => this.#write(bytes));
  }

  /** Returns whether a body has not arrived yet but is short enough to wait for. */
  #isShort(length: number): boolean {
    return length <= BUFFER_BYTES && this.#reader.buffered < length;
  }

  /**
   * Waits briefly for a short body. Most short bodies arrive right after their headers, and are far
   * cheaper to forward in one piece than as a stream. A slow or truncated body becomes a stream.
   */
  async #awaitShort(length: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<false>();
    const deadline = new Deadline(() => resolve(false));
    this.#times.exchanges.set(deadline, SHORT_BODY_MS);
    while (this.#reader.buffered < length) {
      const more = this.#reader.fill().catch(() => false);
      if (!await Promise.race([more, late])) break;
    }
    deadline.at = Infinity;
  }

  #body(
    head: ResponseHead,
    exchange: {
      readonly upload: { readonly over: boolean };
      readonly done: (reusable: boolean) => void;
    },
  ): WireAnswer["body"] {
    const finish = (): void =>
      exchange.done(head.keepAlive && exchange.upload.over && this.#reader.buffered === 0);
    if (head.framing.type === "none") {
      finish();
      return null;
    }
    if (head.framing.type === "length" && head.framing.length <= this.#reader.buffered) {
      const whole = this.#reader.takeWhole(head.framing.length);
      finish();
      return whole;
    }
    this.#deadline.at = Infinity;
    const next = readBody(this.#reader, head.framing);
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        try {
          if (this.#reader.buffered === 0) this.#touch();
          const part = await next();
          this.#deadline.at = Infinity;
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
