/** @module Sends a body to the client and stores it at the same time. */
import type { BodyStream, Bytes } from "../messages/body.ts";
import type { Timer } from "./in_flight_requests.ts";

/** Maximum time to read a body without a client, in milliseconds. Some bodies never end. */
const UNREAD_MS = 30_000;

interface CacheFillOptions {
  /** Maximum size of a body, in bytes. */
  readonly limit: number;
  /** The value of `Content-Length`. A body with a different length counts as incomplete. */
  readonly expectedBytes: number | undefined;
  /** Reserves memory. Returns false if none is left. */
  reserve(bytes: number): boolean;
  release(bytes: number): void;
  readonly timer: Timer;
}

const EMPTY: Bytes = new Uint8Array(0);

function join(chunks: readonly Bytes[], length: number): Bytes {
  if (chunks.length === 1) return chunks[0]!;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}

/**
 * Reads a body ahead of its client, up to the limit. A slow or disconnected client therefore does
 * not delay the requests that wait for the stored response. Beyond the limit, the body is passed
 * through at the client's pace.
 */
export class CacheFill {
  /** The whole body, or `undefined` if it is too long or incomplete. */
  readonly done: Promise<Bytes | undefined>;
  readonly #reader: ReadableStreamDefaultReader<Bytes>;
  readonly #options: CacheFillOptions;
  #state: "filling" | "complete" | "piping" | "failed" = "filling";
  #chunks: Bytes[] = [];
  #length = 0;
  #reserved = 0;
  #error: unknown;
  #hasClient = false;
  /** The chunk that the client gets next. */
  #next = 0;
  #wake: () => void = () => {};
  /** Cancels the timer that runs while no client is reading. */
  #isRead: () => void = () => {};

  constructor(body: BodyStream, options: CacheFillOptions) {
    this.#reader = body.getReader();
    this.#options = options;
    this.#isUnread();
    this.done = this.#pump().finally(() => this.#isRead());
  }

  #isUnread(): void {
    this.#isRead = this.#options.timer(UNREAD_MS, () => {
      if (this.#state !== "filling") return;
      this.#fail(new Error("The response was not complete in time, and no client was reading it"));
      this.#reader.cancel().catch(() => {});
    });
  }

  /** Releases the memory that was reserved for the body. Call it when `done` has been handled. */
  release(): void {
    this.#options.release(this.#reserved);
    this.#reserved = 0;
  }

  async #pump(): Promise<Bytes | undefined> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (this.#state === "failed") return undefined;
        if (done) return this.#complete();
        this.#chunks.push(value);
        this.#length += value.byteLength;
        if (!this.#take(value.byteLength)) return this.#pipe();
        this.#wake();
      }
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #take(bytes: number): boolean {
    if (this.#length > this.#options.limit || !this.#options.reserve(bytes)) return false;
    this.#reserved += bytes;
    return true;
  }

  #complete(): Bytes {
    const { expectedBytes } = this.#options;
    if (expectedBytes !== undefined && expectedBytes !== this.#length) {
      throw new TypeError(
        `Cannot read the whole body: it has ${this.#length} bytes instead of ${expectedBytes}`,
      );
    }
    const whole = join(this.#chunks, this.#length);
    // A client that is still reading gets parts of the stored bytes, because no chunk should be in
    // memory twice.
    let offset = 0;
    this.#chunks = this.#chunks.map(({ byteLength }) =>
      whole.subarray(offset, offset += byteLength)
    );
    this.#state = "complete";
    this.#wake();
    return whole;
  }

  #pipe(): undefined {
    this.#state = "piping";
    if (this.#hasClient) {
      for (let index = 0; index < this.#next; index++) this.#letGo(index);
    } else {
      this.#stop();
    }
    this.#wake();
    return undefined;
  }

  #fail(error: unknown): void {
    this.#state = "failed";
    this.#error = error;
    this.#chunks = [];
    this.release();
    this.#wake();
  }

  /** Cancels the rest of the body, because nobody needs it. */
  #stop(): void {
    this.#chunks = [];
    this.release();
    this.#reader.cancel().catch(() => {});
  }

  /**
   * Opens the body for the client. Call this only once. Without a client, a body beyond the limit
   * is cancelled.
   */
  stream(): BodyStream {
    this.#hasClient = true;
    this.#isRead();
    return new ReadableStream<Bytes>({
      pull: async (controller) => {
        while (this.#next >= this.#chunks.length && this.#state === "filling") {
          await new Promise<void>((resolve) => this.#wake = resolve);
        }
        if (this.#next < this.#chunks.length) {
          controller.enqueue(this.#chunks[this.#next]!);
          if (this.#state === "piping") this.#letGo(this.#next);
          this.#next += 1;
          return;
        }
        if (this.#state === "failed") return controller.error(this.#error);
        if (this.#state === "complete") return controller.close();
        const { done, value } = await this.#reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => {
        this.#hasClient = false;
        if (this.#state === "piping") this.#stop();
        if (this.#state === "filling") this.#isUnread();
      },
    }, { highWaterMark: 0 });
  }

  /** Releases a chunk that the client has received. Called only if the body is not stored. */
  #letGo(index: number): void {
    const given = Math.min(this.#reserved, this.#chunks[index]!.byteLength);
    this.#chunks[index] = EMPTY;
    this.#reserved -= given;
    this.#options.release(given);
  }
}
