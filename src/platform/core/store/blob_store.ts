/**
 * Content-addressed blobs, separate for each workspace: knowing a hash gives no
 * access to another workspace's content.
 *
 * @module
 */
import type { Lease } from "../../../store/mod.ts";

/** Uploaded content does not have the hash that it was announced with. */
export class BlobMismatchError extends Error {
  override readonly name = "BlobMismatchError";
  constructor(readonly announced: string, readonly actual: string) {
    super(`Blob ${announced} was refused: its content has the SHA-256 ${actual}`);
  }
}

/** Uploaded content is larger than allowed. */
export class BlobTooLargeError extends Error {
  override readonly name = "BlobTooLargeError";
}

/** A blob is missing from the store, or its content changed there. */
export class BlobDamagedError extends Error {
  override readonly name = "BlobDamagedError";
}

export interface ByteRange {
  /** First byte, from 0. */
  readonly start: number;
  /** Last byte, inclusive. */
  readonly end: number;
}

/** The open file of a blob. */
export interface BlobFile {
  /** Differs once the file was written to or replaced. */
  readonly fingerprint: string;
  /** The whole content; whoever opened the file reads it to its end or cancels it. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** The blobs of one workspace. */
export interface LookOptions {
  /** True to accept a result from a few seconds ago. */
  readonly lately?: boolean;
}

export interface BlobStore {
  /** Stores bytes under their hash; once this resolves they survive a crash. */
  put(sha256: string, content: Uint8Array): Promise<void>;
  /** Stores a stream under its hash without holding it in memory. */
  putStream(
    sha256: string,
    content: ReadableStream<Uint8Array>,
    options: { readonly maxBytes: number },
  ): Promise<void>;
  /**
   * Stores a stream whose hash is not known before, as {@link putStream} does. Nothing is
   * stored where the stream fails.
   */
  add(
    content: ReadableStream<Uint8Array>,
    options: { readonly maxBytes: number },
  ): Promise<{ readonly sha256: string; readonly size: number }>;
  /** Size in bytes, or `undefined` if the blob is missing. */
  size(sha256: string): Promise<number | undefined>;
  /**
   * Size in bytes of a blob whose content has its hash; `undefined` if it is missing or damaged. A
   * verified file is not read again until it changes.
   */
  verify(sha256: string): Promise<number | undefined>;
  /** Runs {@link verify} on many blobs and returns the results by hash. */
  verifyAll(
    hashes: readonly string[],
    options?: LookOptions,
  ): Promise<ReadonlyMap<string, number | undefined>>;
  /**
   * Verifies a blob, and moves it aside if it is damaged: from then on it is missing, until the
   * same content is stored again.
   */
  reportDamage(sha256: string): Promise<void>;
  /** Reads the whole content, checked against the hash. */
  read(sha256: string): Promise<Uint8Array<ArrayBuffer>>;
  stream(sha256: string, range?: ByteRange): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** Opens the file of a blob, so that the runtime can send it by itself. */
  openFile(sha256: string): Promise<BlobFile>;
  /**
   * Creates a file with the blob's content at a free path, checked against the
   * hash: a hard link if the file system allows it, else a copy. For reading
   * only.
   */
  link(sha256: string, path: string): Promise<void>;
}

/** A blob as a list of all blobs has it. */
export interface StoredBlob {
  readonly workspaceId: string;
  readonly sha256: string;
  /** Size in bytes. */
  readonly size: number;
}

/** All blobs of a platform. */
export interface BlobVault {
  of(workspaceId: string): BlobStore;
  /** Lists all blobs, in no order that means anything. */
  list(): AsyncIterable<StoredBlob>;
  /** How many workspaces have blobs. */
  countWorkspaces(): Promise<number>;
  /** Why blobs cannot be stored now, for the operator; `undefined` if they can. */
  problem(): string | undefined;
  close(): void;
  /**
   * Removes unneeded blobs: those for which the predicate of `mark` is false, that are older than
   * `minAgeMs`, and that nobody looks up meanwhile. If several platforms share the blobs, it takes
   * two sweeps, a day apart. Returns the number of removed blobs.
   */
  sweep(options: {
    mark(): Promise<(workspaceId: string, sha256: string) => boolean>;
    /** Required before each removal that no commit guards. */
    readonly lease: Lease;
    readonly minAgeMs: number;
    readonly now: number;
  }): Promise<number>;
}
