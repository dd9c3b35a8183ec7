/** @module The bodies that a cache stores in memory, with a limit on the total size of strings. */
import { MAX_CACHED_TEXT_BYTES, type MemoryBody, toMemoryBody } from "./body.ts";

export class KeptBodies {
  #textBytes = 0;

  readonly #textCapacity: number;

  /** @param textCapacity Maximum total size of bodies that are stored as strings, in bytes. */
  constructor(textCapacity: number = MAX_CACHED_TEXT_BYTES) {
    this.#textCapacity = textCapacity;
  }

  /** Returns a body in the form in which the cache stores it, and counts it until `drop()`. */
  keep(body: MemoryBody): MemoryBody {
    const kept = toMemoryBody(body, {
      mayBeText: this.#textBytes + body.length <= this.#textCapacity,
    });
    if (typeof kept === "string") this.#textBytes += kept.length;
    return kept;
  }

  drop(body: MemoryBody): void {
    if (typeof body === "string") this.#textBytes -= body.length;
  }
}
