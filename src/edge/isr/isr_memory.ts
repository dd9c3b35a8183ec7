/** @module ISR pages in memory, with one limit for all sites of the process. */
import { KeptBodies } from "../messages/kept_bodies.ts";
import { ClockRing, type RingEntry } from "../../lib/clock_ring.ts";
import type { PageRecord } from "./page_record.ts";
import type { IsrEntry } from "./types.ts";

/** Default capacity in bytes (64 MiB). */
export const DEFAULT_ISR_MEMORY_BYTES = 64 * 1024 * 1024;

/**
 * A generous estimate of the memory that a page uses in addition to its strings and body, in bytes.
 */
const OVERHEAD_BYTES = 2048;

/** Returns the memory that a page uses without its body, in bytes. */
export function headBytes(
  { key, headers, tags = [], vary = [] }: Pick<PageRecord, "key" | "headers" | "tags" | "vary">,
): number {
  let characters = key.length;
  for (const [name, value] of headers) characters += name.length + value.length;
  for (const { name, value } of vary) characters += name.length + (value?.length ?? 0);
  for (const tag of tags) characters += tag.length;
  return OVERHEAD_BYTES + 2 * characters;
}

interface Slot extends RingEntry<Slot> {
  readonly memoryKey: string;
  readonly page: IsrEntry;
  /** The memory that the page uses, in bytes. */
  readonly bytes: number;
}

/** Pages in memory, evicted with the CLOCK algorithm: a used page gets a second chance. */
export class IsrMemory {
  readonly #slots = new Map<string, Slot>();
  readonly #clock = new ClockRing<Slot>();
  #bytes = 0;
  /** Memory used by bodies that are still arriving, in bytes. */
  #reserved = 0;

  readonly #bodies = new KeptBodies();

  readonly #capacity;

  constructor(capacity = DEFAULT_ISR_MEMORY_BYTES) {
    this.#capacity = capacity;
  }

  /** Number of bytes in use, which is never above the capacity. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** Returns the page stored under a key, and marks it as used. */
  get(memoryKey: string): IsrEntry | undefined {
    const slot = this.#slots.get(memoryKey);
    if (slot === undefined) return undefined;
    slot.used = true;
    return slot.page;
  }

  /**
   * Stores a page unless it is too large, and removes any older version. Returns the page as
   * stored.
   */
  put(memoryKey: string, page: IsrEntry): IsrEntry {
    this.delete(memoryKey);
    const bytes = page.headBytes + page.stored.body.length;
    if (bytes > this.#capacity) return page;
    this.#bytes += bytes;
    this.#makeRoom();
    const body = this.#bodies.keep(page.stored.body);
    const kept: IsrEntry = { ...page, stored: { ...page.stored, body } };
    const links = { used: false, previous: undefined, next: undefined };
    const slot: Slot = { memoryKey, page: kept, bytes, ...links };
    this.#slots.set(memoryKey, slot);
    this.#clock.add(slot);
    return kept;
  }

  delete(memoryKey: string): void {
    const slot = this.#slots.get(memoryKey);
    if (slot !== undefined) this.#remove(slot);
  }

  /** Yields the pages whose keys begin with `prefix`. */
  *under(prefix: string): Generator<readonly [memoryKey: string, page: IsrEntry]> {
    for (const [memoryKey, { page }] of this.#slots) {
      if (memoryKey.startsWith(prefix)) yield [memoryKey, page];
    }
  }

  /** Reserves memory for an arriving body. Returns false if no memory is left. */
  reserve(bytes: number): boolean {
    if (this.#reserved + bytes > this.#capacity) return false;
    this.#reserved += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#reserved -= bytes;
  }

  #makeRoom(): void {
    while (this.#bytes > this.#capacity) {
      const slot = this.#clock.victim();
      if (slot === undefined) return;
      this.#remove(slot);
    }
  }

  #remove(slot: Slot): void {
    this.#slots.delete(slot.memoryKey);
    this.#clock.remove(slot);
    this.#bytes -= slot.bytes;
    this.#bodies.drop(slot.page.stored.body);
  }
}
