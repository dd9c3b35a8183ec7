/**
 * Where the bytes of files come from.
 *
 * @module
 */
import type { ByteRange } from "../ranges/mod.ts";

/** Reads blobs by the SHA-256 of their content. Rejects when a blob is missing. */
export interface BlobReader {
  /** All bytes of a blob; called for blobs of at most `MAX_CACHED_BYTES`. */
  read(sha256: string): Promise<Uint8Array<ArrayBuffer>>;
  /** The bytes of a blob, or those of a range, as a stream. */
  stream(sha256: string, range?: ByteRange): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** Told of a blob whose content does not have its hash. */
  reportDamage?(sha256: string): Promise<void>;
}

/** A stored blob is not what its name says. */
export class BlobCorruptError extends Error {
  override readonly name = "BlobCorruptError";

  constructor(readonly sha256: string, found: string) {
    super(`Can not serve blob ${sha256}: ${found}`);
  }
}
