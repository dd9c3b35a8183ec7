/** @module Keeps small blobs in memory, up to a limit in bytes. Each blob is verified once. */
import { ClockRing, type RingEntry } from "../../lib/clock_ring.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import { MAX_CACHED_TEXT_BYTES, type MemoryBody, toMemoryBody } from "../messages/body.ts";
import { BlobCorruptError, type BlobReader } from "./blob_reader.ts";

/** Maximum size of a blob in memory (1 MiB). */
export const MAX_CACHED_BYTES = 1024 * 1024;

/** Default size of the cache (256 MiB). */
export const DEFAULT_CACHE_BYTES = 256 * 1024 * 1024;

/**
 * Memory that an entry uses in addition to its content, in bytes. It includes the map slot, the key
 * and the buffer objects.
 */
const ENTRY_OVERHEAD = 512;

interface Entry extends RingEntry<Entry> {
  readonly sha256: string;
  readonly body: MemoryBody;
}

interface BlobCacheOptions {
  /** Maximum memory of the cache, in bytes. */
  readonly capacity?: number | undefined;
  /** Maximum total size of blobs that are kept as strings, in bytes. */
  readonly textCapacity?: number | undefined;
}

/**
 * Keeps the most recently requested blobs, using the CLOCK algorithm. A hit costs one map lookup
 * and moves nothing. One read serves all requests that wait for the same blob. Failed reads are not
 * cached.
 */
export class BlobCache {
  readonly #entries = new Map<string, Entry>();
  readonly #clock = new ClockRing<Entry>();
  readonly #capacity: number;
  readonly #textCapacity: number;
  readonly #loading = new SingleFlight<MemoryBody>();
  #bytes = 0;
  #textBytes = 0;

  constructor(options: BlobCacheOptions = {}) {
    this.#capacity = options.capacity ?? DEFAULT_CACHE_BYTES;
    this.#textCapacity = options.textCapacity ?? MAX_CACHED_TEXT_BYTES;
  }

  /** Number of bytes in use, including the overhead of entries. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** Returns the blob if it is in memory. */
  peek(sha256: string): MemoryBody | undefined {
    const entry = this.#entries.get(sha256);
    if (entry === undefined) return undefined;
    entry.used = true;
    return entry.body;
  }

  /**
   * Returns the blob from memory, or reads it from `reader` and verifies it.
   *
   * @throws {BlobCorruptError} if the stored bytes have a different hash
   */
  load(sha256: string, reader: BlobReader): Promise<MemoryBody> {
    const body = this.peek(sha256);
    if (body !== undefined) return Promise.resolve(body);
    return this.#loading.run(sha256, () => this.#read(sha256, reader));
  }

  async #read(sha256: string, reader: BlobReader): Promise<MemoryBody> {
    const bytes = await reader.read(sha256);
    const found = sha256Hex(bytes);
    if (found !== sha256) throw new BlobCorruptError(sha256, `its content has the hash ${found}`);
    const mayBeText = this.#textBytes + bytes.byteLength <= this.#textCapacity;
    const body = toMemoryBody(bytes, { mayBeText });
    this.#keep(sha256, body);
    return body;
  }

  #keep(sha256: string, body: MemoryBody): void {
    if (body.length + ENTRY_OVERHEAD > this.#capacity) return;
    this.#account(body, 1);
    this.#evict();
    const entry: Entry = { sha256, body, used: false, previous: undefined, next: undefined };
    this.#entries.set(sha256, entry);
    this.#clock.add(entry);
  }

  /** Evicts the oldest entries. A used entry gets a second chance. */
  #evict(): void {
    while (this.#bytes > this.#capacity) {
      const entry = this.#clock.victim();
      if (entry === undefined) return;
      this.#clock.remove(entry);
      this.#entries.delete(entry.sha256);
      this.#account(entry.body, -1);
    }
  }

  /** Adds or subtracts the memory of a body. */
  #account(body: MemoryBody, sign: 1 | -1): void {
    this.#bytes += sign * (body.length + ENTRY_OVERHEAD);
    if (typeof body === "string") this.#textBytes += sign * body.length;
  }
}
