/**
 * @module Transfers bodies in frames, with backpressure: the sender sends no more than the receiver
 * has granted, and either side can abort. The platform and the worker use the same two classes.
 */
import { FunctionFrame } from "./wire.ts";

/** Sends a frame for this link's body. */
type SendBodyFrame = (type: number, payload?: Uint8Array) => void;

/** Maximum number of bytes in flight. */
export const WINDOW_BYTES = 256 * 1024;

/** Number of bytes that a sender may send before the receiver requests any, if this is allowed. */
export const EAGER_BYTES = 64 * 1024;

const MAX_CHUNK_BYTES = 64 * 1024;

/** Minimum number of granted bytes that a chunk uses up. Even the smallest chunk takes memory. */
const MIN_CHUNK_COST = 256;

const costOf = (chunkBytes: number): number => Math.max(chunkBytes, MIN_CHUNK_COST);

const encoder = new TextEncoder();

function creditPayload(count: number): Uint8Array {
  const payload = new Uint8Array(4);
  new DataView(payload.buffer).setUint32(0, count, true);
  return payload;
}

/** Returns the count in a credit frame, or 0 if the frame has none. */
export function readCredit(payload: Uint8Array): number {
  if (payload.byteLength !== 4) return 0;
  return new DataView(payload.buffer, payload.byteOffset, 4).getUint32(0, true);
}

interface BodySenderOptions {
  readonly send: SendBodyFrame;
  /** Number of bytes that may be sent before the receiver requests more. */
  readonly credit: number;
  /** Called once when the body is complete, aborted or unwanted. */
  readonly finished: () => void;
  /** Called once if the stream fails, before `finished`. */
  readonly brokeOff?: (error: unknown) => void;
}

/**
 * Sends as much of a stream as the receiver has granted. Reads nothing from the stream before that.
 */
export class BodySender {
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #credit: number;
  #rest: Uint8Array | undefined;
  #pumping = false;
  #over = false;

  readonly #stream: ReadableStream<Uint8Array>;
  readonly #options: BodySenderOptions;

  constructor(stream: ReadableStream<Uint8Array>, options: BodySenderOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#credit = options.credit;
    if (this.#credit > 0) void this.#pump();
  }

  /** True once a part of the stream has been read. */
  get started(): boolean {
    return this.#reader !== undefined;
  }

  grant(count: number): void {
    this.#credit = Math.min(this.#credit + count, WINDOW_BYTES);
    if (!this.#pumping && !this.#over) void this.#pump();
  }

  /** Stops sending and, if the stream was started, cancels it. */
  stop(reason: string): void {
    if (this.#over) return;
    this.#finish();
    this.#reader?.cancel(new Error(reason)).catch(() => {});
  }

  /** Stops sending and always cancels the stream, because nothing else reads it. */
  discard(reason: string): void {
    if (this.#over) return;
    this.#reader ??= this.#stream.getReader();
    this.stop(reason);
  }

  #finish(): void {
    this.#over = true;
    this.#options.finished();
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    try {
      this.#reader ??= this.#stream.getReader();
      while (this.#credit >= MIN_CHUNK_COST && !this.#over) {
        const bytes = this.#rest ?? await this.#next(this.#reader);
        if (this.#over) return;
        if (bytes === undefined) {
          this.#options.send(FunctionFrame.end);
          this.#finish();
          return;
        }
        const count = Math.min(bytes.byteLength, this.#credit, MAX_CHUNK_BYTES);
        this.#options.send(FunctionFrame.chunk, bytes.subarray(0, count));
        this.#credit -= costOf(count);
        this.#rest = count < bytes.byteLength ? bytes.subarray(count) : undefined;
      }
    } catch (error) {
      if (this.#over) return;
      this.#options.brokeOff?.(error);
      const message = error instanceof Error ? error.message : "The body ended early";
      this.#options.send(FunctionFrame.fail, encoder.encode(message.slice(0, 500)));
      this.#finish();
    } finally {
      this.#pumping = false;
    }
  }

  async #next(
    reader: ReadableStreamDefaultReader<Uint8Array>,
  ): Promise<Uint8Array | undefined> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      if (!(value instanceof Uint8Array)) throw new TypeError("A body must contain only bytes");
      if (value.byteLength > 0) return value;
    }
  }
}

interface BodyReceiverOptions {
  readonly send: SendBodyFrame;
  /** Number of bytes that the sender sends before this side requests any. */
  readonly credit: number;
  /** Called once when the body is complete, aborted or cancelled. */
  readonly finished: () => void;
}

/** Receives a body as a stream, asking for more as it is read. */
export class BodyReceiver {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #outstanding: number;
  #failure: Error | undefined;
  #asked = false;
  #over = false;

  readonly #options: BodyReceiverOptions;

  constructor(options: BodyReceiverOptions) {
    this.#options = options;
    this.#outstanding = options.credit;
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#pull(),
      cancel: () => {
        this.#options.send(FunctionFrame.drop);
        this.#finish();
      },
    }, { highWaterMark: 0 });
  }

  /** True once the reader has requested the body. */
  get started(): boolean {
    return this.#asked;
  }

  #pull(): void {
    this.#asked = true;
    if (this.#failure !== undefined) return this.#controller.error(this.#failure);
    if (this.#over || this.#outstanding > WINDOW_BYTES / 2) return;
    const more = WINDOW_BYTES - this.#outstanding;
    this.#outstanding += more;
    this.#options.send(FunctionFrame.credit, creditPayload(more));
  }

  /** Adds a part. Returns false if the part is empty or exceeds the granted bytes. */
  chunk(bytes: Uint8Array<ArrayBuffer>): boolean {
    if (this.#over) return true;
    this.#outstanding -= costOf(bytes.byteLength);
    if (this.#outstanding < 0 || bytes.byteLength === 0) return false;
    this.#controller.enqueue(bytes);
    return true;
  }

  end(): void {
    if (this.#over) return;
    this.#finish();
    this.#controller.close();
  }

  /** Aborts the body and notifies the sender that it is no longer wanted. */
  drop(error: Error): void {
    if (this.#over) return;
    this.#options.send(FunctionFrame.drop);
    this.fail(error);
  }

  /** Aborts the body immediately. */
  fail(error: Error): void {
    if (this.#over) return;
    this.#finish();
    this.#controller.error(error);
  }

  /**
   * Aborts the body once the arrived data has been read, because an error would discard the data in
   * the queue.
   */
  brokeOff(error: Error): void {
    if (this.#over) return;
    if (this.#controller.desiredSize === 0) return this.fail(error);
    this.#finish();
    this.#failure = error;
  }

  #finish(): void {
    this.#over = true;
    this.#options.finished();
  }
}
