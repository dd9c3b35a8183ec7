/**
 * @module Reads from a connection: up to a line ending, a number of bytes, or bytes as they arrive.
 */
import { Buffer, isAscii } from "node:buffer";
import { OutboundError } from "./errors.ts";

/** Reads into the buffer. Returns the number of bytes, or `null` at the end of the connection. */
type ReadBytes = (buffer: Uint8Array<ArrayBuffer>) => Promise<number | null>;

/** A body in memory. It is a string only if all bytes are ASCII. */
export type WholeBody = string | Uint8Array<ArrayBuffer>;

/** Maximum number of buffered bytes. */
export const BUFFER_BYTES = 64 * 1024;
const CR = 13;
const LF = 10;

const reset = (): OutboundError =>
  new OutboundError("reset", "The connection ended before the response was complete");

export class ByteReader {
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  /** A view of the same bytes, for reading them as text. */
  readonly #text = Buffer.from(this.#buffer.buffer);
  #filling: Promise<boolean> | undefined;
  #start = 0;
  #end = 0;

  readonly #read: ReadBytes;

  constructor(read: ReadBytes) {
    this.#read = read;
  }

  /** Number of bytes that have been read but not consumed yet. */
  get buffered(): number {
    return this.#end - this.#start;
  }

  /**
   * Reads more bytes. Returns false at the end of the connection. If a read is in progress, waits
   * for it instead.
   */
  fill(): Promise<boolean> {
    return this.#filling ??= this.#fill();
  }

  async #fill(): Promise<boolean> {
    if (this.#start === this.#end) this.#start = this.#end = 0;
    else if (this.#end === this.#buffer.byteLength) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
    }
    try {
      const count = await this.#read(
        this.#end === 0 ? this.#buffer : this.#buffer.subarray(this.#end),
      );
      if (count === null) return false;
      this.#end += count;
      return true;
    } finally {
      this.#filling = undefined;
    }
  }

  /**
   * Reads text up to `\r\n\r\n` or, with `line`, up to `\r\n`. The line ending is consumed but
   * not returned. Each character is one byte, as usual for HTTP heads.
   */
  until(end: "head" | "line", maxBytes: number): string | Promise<string> {
    const length = end === "head" ? 4 : 2;
    return this.#taken(length, 0) ?? this.#readUntil(length, maxBytes);
  }

  /** Returns the text up to such a line ending, if the line ending is already buffered. */
  #taken(length: number, scanned: number): string | undefined {
    const at = this.#find(length, scanned);
    if (at === -1) return undefined;
    const text = this.#textUpTo(this.#start + at);
    this.#start += at + length;
    return text;
  }

  async #readUntil(length: number, maxBytes: number): Promise<string> {
    for (;;) {
      const scanned = Math.max(0, this.buffered - length + 1);
      if (this.buffered >= Math.min(maxBytes, BUFFER_BYTES)) {
        throw new OutboundError("bad_response", "The response headers are too large");
      }
      if (!await this.fill()) throw reset();
      const text = this.#taken(length, scanned);
      if (text !== undefined) return text;
    }
  }

  /**
   * For ASCII, UTF-8 gives the same result as Latin-1, but Deno decodes UTF-8 twenty times as fast.
   */
  #textUpTo(end: number): string {
    let all = 0;
    for (let at = this.#start; at < end; at++) all |= this.#buffer[at]!;
    return this.#text.toString(all < 0x80 ? "utf8" : "latin1", this.#start, end);
  }

  #find(length: number, from: number): number {
    const bytes = this.#buffer;
    for (let at = this.#start + from; at + length <= this.#end; at++) {
      if (bytes[at] !== CR || bytes[at + 1] !== LF) continue;
      if (length === 2 || (bytes[at + 2] === CR && bytes[at + 3] === LF)) return at - this.#start;
    }
    return -1;
  }

  /**
   * Returns a copy of at most `max` buffered bytes, or reads some if there are none. Returns `null`
   * at the end of the connection.
   */
  async some(max: number): Promise<Uint8Array<ArrayBuffer> | null> {
    if (this.buffered === 0 && !await this.fill()) return null;
    return this.take(Math.min(max, this.buffered));
  }

  /** Returns a copy of the next `count` bytes, which must already be buffered. */
  take(count: number): Uint8Array<ArrayBuffer> {
    const bytes = this.#buffer.slice(this.#start, this.#start + count);
    this.#start += count;
    return bytes;
  }

  /**
   * Takes bytes like `take()`, but as text if possible, because the runtime sends text at half the
   * cost of bytes.
   */
  takeWhole(count: number): WholeBody {
    const end = this.#start + count;
    if (!isAscii(this.#buffer.subarray(this.#start, end))) return this.take(count);
    const text = this.#text.toString("utf8", this.#start, end);
    this.#start = end;
    return text;
  }

  /** Returns bytes like `some()`, except that the end of the connection is an error. */
  async someOf(max: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.some(max);
    if (bytes === null) throw reset();
    return bytes;
  }
}
