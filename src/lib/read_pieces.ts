/** @module Reads the output of a process without a new buffer for each piece. */

const BUFFER_BYTES = 64 * 1024;

/**
 * Yields the bytes of a byte stream in pieces, all in one buffer. A piece is valid only until the
 * next one is requested. Iterating over the stream itself would allocate 64 KiB even for a small
 * piece, so many small pieces would keep the garbage collector busy.
 */
export async function* readPieces(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const reader = stream.getReader({ mode: "byob" });
  let buffer = new Uint8Array(BUFFER_BYTES);
  for (;;) {
    const { done, value } = await reader.read(buffer);
    if (done) return;
    yield value;
    buffer = new Uint8Array(value.buffer);
  }
}
