/**
 * ISR pages in memory, with one bound for all sites of the process.
 *
 * @module
 */
import type { PageRecord } from "./page_record.ts";
import type { IsrEntry } from "./types.ts";

/** Default capacity in bytes (64 MiB). */
export const DEFAULT_ISR_MEMORY_BYTES = 64 * 1024 * 1024;

/** Memory of a page beside its body, in bytes: a generous estimate. */
const OVERHEAD_BYTES = 2048;

/** Memory of a page; an ASCII body is kept as a string too. */
export function pageBytes(
  { key, headers, body, tags = [], vary = [] }: Pick<
    PageRecord,
    "key" | "headers" | "body" | "tags" | "vary"
  >,
): number {
  let characters = key.length;
  for (const [name, value] of headers) characters += name.length + value.length;
  for (const { name, value } of vary) characters += name.length + (value?.length ?? 0);
  for (const tag of tags) characters += tag.length;
  return OVERHEAD_BYTES + 2 * characters + 2 * body.byteLength;
}

/** Pages in memory, evicted by the CLOCK algorithm: one that was used gets a second chance. */
export class IsrMemory {
  readonly #pages = new Map<string, IsrEntry>();
  #bytes = 0;
  /** Memory of bodies that are still arriving, in bytes. */
  #reserved = 0;

  constructor(private readonly capacity = DEFAULT_ISR_MEMORY_BYTES) {}

  /** Bytes in use; never above the capacity. */
  get byteLength(): number {
    return this.#bytes;
  }

  get(memoryKey: string): IsrEntry | undefined {
    return this.#pages.get(memoryKey);
  }

  /** Stores a page in place of an older one; does nothing where it is too large. */
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

  /** The pages whose keys begin with `prefix`. */
  *under(prefix: string): Generator<readonly [memoryKey: string, page: IsrEntry]> {
    for (const entry of this.#pages) if (entry[0].startsWith(prefix)) yield entry;
  }

  /** Reserves memory for an arriving body; false where none is left. */
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
