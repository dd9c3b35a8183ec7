/** @module The source of file content. */
import type { ByteRange } from "../ranges/byte_ranges.ts";

export interface BlobFile {
  /** A value that changes when the file is written to or replaced. */
  readonly fingerprint: string;
  /** The whole content. The caller must read the stream to its end or cancel it. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Reads blobs by the SHA-256 of their content. Rejects when a blob is missing. */
export interface BlobReader {
  /** Reads a whole blob. Called for blobs of at most `MAX_CACHED_BYTES`. */
  read(sha256: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Opens a blob, or a range of it, as a stream. */
  stream(sha256: string, range?: ByteRange): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /**
   * Opens the file of a blob, which the runtime can send directly. Missing if blobs are not stored
   * as files.
   */
  openFile?(sha256: string): Promise<BlobFile>;
  /** Called for a blob whose content does not match its hash. */
  reportDamage?(sha256: string): Promise<void>;
}

/** The content of a stored blob does not match its hash. */
export class BlobCorruptError extends Error {
  override readonly name = "BlobCorruptError";

  constructor(readonly sha256: string, found: string) {
    super(`Cannot serve blob ${sha256}: ${found}`);
  }
}
