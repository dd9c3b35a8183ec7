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

/** Puts bodies into a pool and frees them; there is one for the memory. */
export class BodyPool extends PoolReader {
  readonly #bytes: Uint8Array<SharedArrayBuffer>;
  readonly #numbers: Int32Array<SharedArrayBuffer>;
  readonly #count: number;
  /** Chunks before this one have been in use. */
  #next = 0;
  readonly #freed: number[] = [];

  constructor(memory: PoolMemory) {
    super(memory);
    this.#bytes = new Uint8Array(memory.chunks);
    this.#numbers = new Int32Array(memory.generations);
    this.#count = this.#numbers.length;
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
    const generation = chunks.length === 0 ? 0 : Atomics.load(this.#numbers, chunks[0]!);
    return { chunks, generation, length, isText: isText(body) };
  }

  /** Frees the memory of a body; who reads it meanwhile finds that it has gone. */
  free({ chunks }: BodyPlace): void {
    if (chunks.length === 0) return;
    Atomics.add(this.#numbers, chunks[0]!, 1);
    for (const chunk of chunks) this.#freed.push(chunk);
  }

  #take(): number {
    return this.#freed.pop() ?? this.#next++;
  }
}
