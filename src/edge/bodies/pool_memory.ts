/**
 * Memory that edge threads share, in which cached bodies lie once for all of them.
 *
 * It is cut into chunks of one size, so that a body fits wherever enough of them are
 * free. One thread writes; the others read without a lock. Each chunk has a number that
 * grows when the body that begins there is freed: who finds it changed after reading has
 * read something else, and throws it away.
 *
 * @module
 */
import { type Bytes, MAX_TEXT_BYTES, type MemoryBody } from "../messages/mod.ts";

/** Smallest memory of a body: little is wasted at its end, and few chunks make up a page. */
export const CHUNK_BYTES = 2048;

const decoder = new TextDecoder();

/** What threads have to know of a pool. */
export interface PoolMemory {
  readonly chunks: SharedArrayBuffer;
  /** For each chunk, how often a body that began there was freed. */
  readonly generations: SharedArrayBuffer;
}

/** Where a body lies in a pool. Data only. */
export interface BodyPlace {
  readonly chunks: readonly number[];
  /** Of the first chunk. */
  readonly generation: number;
  /** In bytes. */
  readonly length: number;
  /** Whether it is read as a string. */
  readonly isText: boolean;
}

/** Makes the memory of a pool; the machine gives it when it is written to. */
export function sharePool(bytes: number): PoolMemory {
  const count = Math.floor(bytes / CHUNK_BYTES);
  return {
    chunks: new SharedArrayBuffer(count * CHUNK_BYTES),
    generations: new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT),
  };
}

/** Memory of a body in a pool, in bytes. */
export function pooledBytes(length: number): number {
  return Math.ceil(length / CHUNK_BYTES) * CHUNK_BYTES;
}

/** Calls `visit` for each run of chunks that lie one behind the other. */
export function visitRuns(
  { chunks, length }: Pick<BodyPlace, "chunks" | "length">,
  visit: (start: number, at: number, bytes: number) => void,
): void {
  for (let index = 0, at = 0; at < length;) {
    const first = index;
    while (chunks[index + 1] === chunks[index]! + 1) index++;
    index++;
    const bytes = Math.min((index - first) * CHUNK_BYTES, length - at);
    visit(chunks[first]! * CHUNK_BYTES, at, bytes);
    at += bytes;
  }
}

/** Reads bodies of a pool, in any thread. */
export class PoolReader {
  readonly #generations: Int32Array<SharedArrayBuffer>;
  /** Where a text is put together. */
  readonly #text = new Uint8Array(MAX_TEXT_BYTES);

  constructor(private readonly memory: PoolMemory) {
    this.#generations = new Int32Array(memory.generations);
  }

  /** The body that was put in a place; `undefined` where it has been freed. */
  read(place: BodyPlace): MemoryBody | undefined {
    const first = place.chunks[0];
    if (first === undefined) return "";
    if (Atomics.load(this.#generations, first) !== place.generation) return undefined;
    const body = place.isText ? this.#readText(place) : this.#readBytes(place);
    // A write orders the reads before it, which a load need not do on every processor.
    const generation = Atomics.add(this.#generations, first, 0);
    return generation === place.generation ? body : undefined;
  }

  #readText(place: BodyPlace): string {
    this.#copy(place, this.#text);
    return decoder.decode(this.#text.subarray(0, place.length));
  }

  #readBytes(place: BodyPlace): Bytes {
    const bytes = new Uint8Array(place.length);
    this.#copy(place, bytes);
    return bytes;
  }

  #copy(place: BodyPlace, into: Uint8Array): void {
    visitRuns(place, (start, at, bytes) => {
      into.set(new Uint8Array(this.memory.chunks, start, bytes), at);
    });
  }
}
