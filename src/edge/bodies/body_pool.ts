/**
 * The side of a pool that writes.
 *
 * @module
 */
import { bytesOf, isText, type MemoryBody } from "../messages/mod.ts";
import {
  type BodyPlace,
  CHUNK_BYTES,
  type PoolMemory,
  PoolReader,
  visitRuns,
} from "./pool_memory.ts";

/** Puts bodies into a pool and frees them; a memory has one, in one thread. */
export class BodyPool extends PoolReader {
  readonly #bytes: Uint8Array<SharedArrayBuffer>;
  readonly #generations: Int32Array<SharedArrayBuffer>;
  readonly #count: number;
  /** Chunks before this one have been in use. */
  #next = 0;
  readonly #freed: number[] = [];

  constructor(memory: PoolMemory) {
    super(memory);
    this.#bytes = new Uint8Array(memory.chunks);
    this.#generations = new Int32Array(memory.generations);
    this.#count = this.#generations.length;
  }

  /** Memory that no body takes, in bytes. */
  get freeBytes(): number {
    return (this.#count - this.#next + this.#freed.length) * CHUNK_BYTES;
  }

  /** Puts a body into free memory; `undefined` where there is too little. */
  put(body: MemoryBody): BodyPlace | undefined {
    const { length } = body;
    if (length > this.freeBytes) return undefined;
    const chunks = Array.from({ length: Math.ceil(length / CHUNK_BYTES) }, () => this.#take());
    const bytes = bytesOf(body);
    visitRuns({ chunks, length }, (start, at, count) => {
      this.#bytes.set(bytes.subarray(at, at + count), start);
    });
    const generation = chunks.length === 0 ? 0 : Atomics.load(this.#generations, chunks[0]!);
    return { chunks, generation, length, isText: isText(body) };
  }

  /**
   * Frees the memory of a body; who reads it meanwhile finds that it has gone. Does nothing
   * where it is free already: two bodies in one place would be seen by each other's visitors.
   */
  free({ chunks, generation }: BodyPlace): void {
    const first = chunks[0];
    if (first === undefined || Atomics.load(this.#generations, first) !== generation) return;
    Atomics.add(this.#generations, first, 1);
    // Taken from the end, they lie one behind the other again.
    for (let at = chunks.length - 1; at >= 0; at--) this.#freed.push(chunks[at]!);
  }

  #take(): number {
    return this.#freed.pop() ?? this.#next++;
  }
}
