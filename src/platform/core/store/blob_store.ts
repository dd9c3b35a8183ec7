/**
 * Content-addressed blobs, stored separately for each workspace. Knowing a hash gives no access to
 * the blobs of other workspaces.
 *
 * @module
 */
import type { Lease } from "../../../store/mod.ts";

/** Thrown if uploaded content does not have the announced hash. */
export class BlobMismatchError extends Error {
  override readonly name = "BlobMismatchError";
  constructor(readonly announced: string, readonly actual: string) {
    super(`Blob ${announced} was refused: its content has the SHA-256 ${actual}`);
  }
}

/** Thrown if uploaded content is larger than allowed. */
export class BlobTooLargeError extends Error {
  override readonly name = "BlobTooLargeError";
}

/** Thrown if a blob is missing from the store, or its stored content has changed. */
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
  /** A value that changes when the file is modified or replaced. */
  readonly fingerprint: string;
  /** The whole content. The caller must read it to its end or cancel it. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface LookOptions {
  /** Whether to accept a result that is a few seconds old. */
  readonly lately?: boolean;
}

export interface BlobStore {
  /** Stores bytes under their hash. Once this resolves, the bytes survive a crash. */
  put(sha256: string, content: Uint8Array): Promise<void>;
  /** Stores a stream under its hash without holding it in memory. */
  putStream(
    sha256: string,
    content: ReadableStream<Uint8Array>,
    options: { readonly maxBytes: number },
  ): Promise<void>;
  /** Stores a stream whose hash is unknown. Stores nothing if the stream fails. */
  add(
    content: ReadableStream<Uint8Array>,
    options: { readonly maxBytes: number },
  ): Promise<{ readonly sha256: string; readonly size: number }>;
  size(sha256: string): Promise<number | undefined>;
  /**
   * Returns the size of a blob if it is intact, otherwise `undefined`. Reads the content again only
   * if the file has changed.
   */
  verify(sha256: string): Promise<number | undefined>;
  /** Calls {@link verify} for many blobs, and returns the results by hash. */
  verifyAll(
    hashes: readonly string[],
    options?: LookOptions,
  ): Promise<ReadonlyMap<string, number | undefined>>;
  /** Verifies a blob. Moves a damaged blob aside, so it counts as missing. */
  reportDamage(sha256: string): Promise<void>;
  read(sha256: string): Promise<Uint8Array<ArrayBuffer>>;
  stream(sha256: string, range?: ByteRange): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** Opens a blob's file, so the runtime can send it directly. */
  openFile(sha256: string): Promise<BlobFile>;
  /** Creates a read-only file with the content at an unused path: a hard link, or a copy. */
  link(sha256: string, path: string): Promise<void>;
}

export interface StoredBlob {
  readonly workspaceId: string;
  readonly sha256: string;
  readonly size: number;
}

export interface BlobVault {
  of(workspaceId: string): BlobStore;
  /** Lists all blobs, in no particular order. */
  list(): AsyncIterable<StoredBlob>;
  /** Returns how many workspaces have blobs. */
  countWorkspaces(): Promise<number>;
  /** Explains to the operator why blobs cannot be stored now; `undefined` if they can be stored. */
  problem(): string | undefined;
  close(): void;
  /**
   * Removes old blobs that `mark` does not need and that have no recent lookups. Shared blobs take
   * two sweeps, a day apart. Returns the number of removed blobs.
   */
  sweep(options: {
    mark(): Promise<(workspaceId: string, sha256: string) => boolean>;
    /** The lease that must be held for each removal that no commit guards. */
    readonly lease: Lease;
    readonly minAgeMs: number;
    readonly now: number;
  }): Promise<number>;
}
