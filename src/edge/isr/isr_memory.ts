/**
 * Kept pages in memory: one bound for all sites of the process.
 *
 * @module
 */
import type { IsrEntry } from "./types.ts";

/** Default bound, in bytes (64 MiB). */
export const DEFAULT_ISR_MEMORY_BYTES = 64 * 1024 * 1024;

/** What a page takes beside its body, in bytes: a guess on the safe side. */
const OVERHEAD_BYTES = 2048;

/** Memory of a page whose body is that long; ASCII is kept as a string as well. */
export function pageBytes(key: string, bodyBytes: number): number {
  return OVERHEAD_BYTES + 2 * key.length + 2 * bodyBytes;
}

/** Second chance: a page that was served since the last look for room stays once more. */
export class IsrMemory {
  readonly #pages = new Map<string, IsrEntry>();
  #bytes = 0;
  /** Bodies that are on their way into memory. */
  #reserved = 0;

  constructor(private readonly capacity = DEFAULT_ISR_MEMORY_BYTES) {}

  /** Bytes held; never above the capacity. */
  get byteLength(): number {
    return this.#bytes;
  }

  get(memoryKey: string): IsrEntry | undefined {
    return this.#pages.get(memoryKey);
  }

  /** Keeps a page in place of the one that was there; not at all where it is too large. */
  put(memoryKey: string, page: IsrEntry): void {
    this.delete(memoryKey);
    if (page.bytes > this.capacity) return;
    this.#pages.set(memoryKey, page);
    this.#bytes += page.bytes;
    this.#makeRoom();
  }

  delete(memoryKey: string): void {
    const page = this.#pages.get(memoryKey);
    if (page === undefined) return;
    this.#pages.delete(memoryKey);
    this.#bytes -= page.bytes;
  }

  /** The pages whose places begin with a text. */
  *under(prefix: string): Generator<readonly [memoryKey: string, page: IsrEntry]> {
    for (const entry of this.#pages) if (entry[0].startsWith(prefix)) yield entry;
  }

  /** Takes memory for a body on its way; false where there is none. */
  reserve(bytes: number): boolean {
    if (this.#reserved + bytes > this.capacity) return false;
    this.#reserved += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#reserved -= bytes;
  }

  #makeRoom(): void {
    for (const [memoryKey, page] of this.#pages) {
      if (this.#bytes <= this.capacity) return;
      this.#pages.delete(memoryKey);
      if (page.used) {
        page.used = false;
        this.#pages.set(memoryKey, page);
      } else {
        this.#bytes -= page.bytes;
      }
    }
  }
}
