/** @module Puts several ranges into one response: `multipart/byteranges` (RFC 9110, 14.6). */
import { type ByteRange, rangeLength } from "./byte_ranges.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns the value of `Content-Range` for a range of a file of `size` bytes. */
export function contentRange(range: ByteRange, size: number): string {
  return `bytes ${range.start}-${range.end}/${size}`;
}

interface MultipartLayout {
  readonly contentType: string;
  /** The head of each part, which precedes the bytes of its range. */
  readonly heads: readonly Bytes[];
  readonly tail: Bytes;
  /** Length of the whole body, in bytes. */
  readonly length: number;
}

/**
 * Computes the heads, the tail and the length of the body. `boundary` must not
 * occur in the file.
 */
export function layOutMultipart(
  ranges: readonly ByteRange[],
  file: { readonly size: number; readonly contentType: string; readonly boundary: string },
): MultipartLayout {
  const encoder = new TextEncoder();
  const heads = ranges.map((range, index) =>
    encoder.encode(
      `${index === 0 ? "" : "\r\n"}--${file.boundary}\r\ncontent-type: ${file.contentType}\r\n` +
        `content-range: ${contentRange(range, file.size)}\r\n\r\n`,
    )
  );
  const tail = encoder.encode(`\r\n--${file.boundary}--\r\n`);
  const length = ranges.reduce(
    (sum, range, index) => sum + heads[index]!.byteLength + rangeLength(range),
    tail.byteLength,
  );
  return {
    contentType: `multipart/byteranges; boundary=${file.boundary}`,
    heads,
    tail,
    length,
  };
}

/** Streams the body. The bytes of each range are read as they are sent. */
export function multipartStream(
  layout: MultipartLayout,
  ranges: readonly ByteRange[],
  bytesIn: (range: ByteRange) => AsyncIterable<Bytes>,
): ReadableStream<Bytes> {
  async function* parts(): AsyncGenerator<Bytes> {
    for (const [index, range] of ranges.entries()) {
      yield layout.heads[index]!;
      yield* bytesIn(range);
    }
    yield layout.tail;
  }
  return ReadableStream.from(parts());
}
