/** @module Reads the bytes of a source, within limits. */
import { MAX_SOURCE_BYTES } from "../../runtime/mod.ts";
import { type BodyStream, type Bytes, bytesOf, type MemoryBody } from "../messages/body.ts";

/** Maximum total size of sources in memory across all requests, in bytes. */
const MAX_BYTES_IN_MEMORY = 256 * 1024 * 1024;

/** Thrown for a source that is too large for one image. */
export class SourceTooLargeError extends Error {
  override readonly name = "SourceTooLargeError";
}

/** Thrown when too many sources are in memory. */
export class SourcesBusyError extends Error {
  override readonly name = "SourcesBusyError";
}

/** Counts the bytes of sources that are in memory. */
export class SourceMemory {
  #used = 0;

  readonly #max;

  constructor(max = MAX_BYTES_IN_MEMORY) {
    this.#max = max;
  }

  /** Runs `work` with its own byte counter, then releases the counted bytes. */
  async use<Result>(work: (count: (bytes: number) => void) => Promise<Result>): Promise<Result> {
    let own = 0;
    try {
      return await work((bytes) => {
        own += bytes;
        this.#used += bytes;
        if (own > MAX_SOURCE_BYTES) throw new SourceTooLargeError();
        if (this.#used > this.#max) throw new SourcesBusyError();
      });
    } finally {
      this.#used -= own;
    }
  }
}

/**
 * Reads a body to its end.
 *
 * @param count called with the length of each part
 * @throws {SourceTooLargeError | SourcesBusyError} If `count` throws it
 */
export async function readSource(
  body: MemoryBody | BodyStream | null,
  count: (bytes: number) => void,
): Promise<Bytes> {
  if (!(body instanceof ReadableStream)) {
    const bytes = bytesOf(body ?? "");
    count(bytes.byteLength);
    return bytes;
  }
  const parts: Bytes[] = [];
  for await (const part of body) {
    count(part.byteLength);
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
