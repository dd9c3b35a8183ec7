/**
 * Small blobs in memory: bounded by bytes, each verified once when it is read.
 *
 * @module
 */
import { sha256Hex } from "../../lib/hash.ts";
import { BlobCorruptError, type BlobReader } from "./blob_reader.ts";

/** Largest blob that is kept in memory (1 MiB). */
export const MAX_CACHED_BYTES = 1024 * 1024;

/** Default size of the cache (256 MiB). */
export const DEFAULT_CACHE_BYTES = 256 * 1024 * 1024;

/** Memory of an entry beside its bytes: map slot, key, buffer objects. */
const ENTRY_OVERHEAD = 512;

interface Entry {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Asked for since the hand of the clock last passed. */
  used: boolean;
}

/**
 * Keeps the blobs that are asked for most recently, by the CLOCK algorithm: a
 * hit costs one map lookup and moves nothing. One read serves all who wait for
 * the same blob; a failed read is not remembered.
 */
export class BlobCache {
  readonly #entries = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  #bytes = 0;

  constructor(private readonly capacity: number = DEFAULT_CACHE_BYTES) {}

  /** Bytes held, with the overhead of entries. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** The blob, if it is in memory. Do not change its bytes. */
  peek(sha256: string): Uint8Array<ArrayBuffer> | undefined {
    const entry = this.#entries.get(sha256);
    if (entry === undefined) return undefined;
    entry.used = true;
    return entry.bytes;
  }

  /**
   * The blob, from memory, or read from `reader` and verified.
   *
   * @throws {BlobCorruptError} If the stored bytes have another hash
   */
  load(sha256: string, reader: BlobReader): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = this.peek(sha256);
    if (bytes !== undefined) return Promise.resolve(bytes);
    const underWay = this.#loading.get(sha256);
    if (underWay !== undefined) return underWay;
    const loading = this.#read(sha256, reader).finally(() => this.#loading.delete(sha256));
    this.#loading.set(sha256, loading);
    return loading;
  }

  async #read(sha256: string, reader: BlobReader): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await reader.read(sha256);
    const found = sha256Hex(bytes);
    if (found !== sha256) throw new BlobCorruptError(sha256, `its content has the hash ${found}`);
    this.#keep(sha256, bytes);
    return bytes;
  }

  #keep(sha256: string, bytes: Uint8Array<ArrayBuffer>): void {
    const cost = bytes.byteLength + ENTRY_OVERHEAD;
    if (cost > this.capacity) return;
    this.#bytes += cost;
    this.#evict();
    this.#entries.set(sha256, { bytes, used: false });
  }

  /** Frees the oldest entries; one that was used gets a second round. */
  #evict(): void {
    for (const [sha256, entry] of this.#entries) {
      if (this.#bytes <= this.capacity) return;
      this.#entries.delete(sha256);
      if (entry.used) {
        entry.used = false;
        this.#entries.set(sha256, entry);
      } else {
        this.#bytes -= entry.bytes.byteLength + ENTRY_OVERHEAD;
      }
    }
  }
}
