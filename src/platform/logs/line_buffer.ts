/**
 * Lines that are waiting to be written. They are stored as bytes, because strings would burden the
 * garbage collector.
 *
 * @module
 */

/**
 * Number of characters to encode at a time. A call for each line would cost more than the encoding
 * itself.
 */
const TEXT_UNITS = 8 * 1024;

/**
 * Size of the first chunk, in bytes. Each subsequent chunk is four times as large as the previous
 * one.
 */
const FIRST_CHUNK_BYTES = 4 * 1024;
const LAST_CHUNK_BYTES = 256 * 1024;

/** Maximum number of bytes that a UTF-16 code unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

const encoder = new TextEncoder();

export class LineBuffer {
  readonly #full: Uint8Array<ArrayBuffer>[] = [];
  #chunk = new Uint8Array(FIRST_CHUNK_BYTES);
  #used = 0;
  #text = "";
  #lines = 0;

  /** The number of added lines. */
  get lines(): number {
    return this.#lines;
  }

  /** Adds a line and a line feed. */
  add(line: string): void {
    this.#text += `${line}\n`;
    this.#lines++;
    if (this.#text.length >= TEXT_UNITS) this.#encode();
  }

  /** Returns all lines, as chunks of whole lines. */
  chunks(): readonly Uint8Array<ArrayBuffer>[] {
    this.#encode();
    return [...this.#full, this.#chunk.subarray(0, this.#used)];
  }

  #encode(): void {
    const text = this.#text;
    let { read, written } = encoder.encodeInto(text, this.#chunk.subarray(this.#used));
    if (read < text.length) {
      this.#grow(text.length * BYTES_PER_UNIT);
      ({ written } = encoder.encodeInto(text, this.#chunk));
    }
    this.#used += written;
    this.#text = "";
  }

  #grow(most: number): void {
    if (this.#used > 0) this.#full.push(this.#chunk.subarray(0, this.#used));
    const larger = Math.min(this.#chunk.byteLength * 4, LAST_CHUNK_BYTES);
    this.#chunk = new Uint8Array(Math.max(larger, most));
    this.#used = 0;
  }
}
