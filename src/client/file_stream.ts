/** @module Streams a file as a request body. */

/**
 * Size of a piece in bytes. With its chunk framing, it fits into the 64 KiB that an HTTP server on
 * Deno reads in one call.
 */
const PIECE_BYTES = 60 * 1024;

/** Opens a file and streams it. The file is closed at its end, or when the stream is cancelled. */
export async function openFileStream(path: string): Promise<ReadableStream<Uint8Array>> {
  const file = await Deno.open(path);
  return new ReadableStream({
    async pull(controller) {
      const piece = new Uint8Array(PIECE_BYTES);
      let count: number | null;
      try {
        count = await file.read(piece);
      } catch (error) {
        file.close();
        throw error;
      }
      if (count !== null) return controller.enqueue(piece.subarray(0, count));
      file.close();
      controller.close();
    },
    cancel: () => file.close(),
  }, { highWaterMark: 1 });
}
