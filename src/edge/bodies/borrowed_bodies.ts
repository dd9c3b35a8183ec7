/**
 * Bodies in the pool of another thread. Those that are asked for again are held here as
 * well, in the form in which they are sent, as far as there is memory for that: a string
 * is written to a socket without the copy that shared memory needs.
 *
 * @module
 */
import { ClockRing, type RingEntry } from "../../lib/clock_ring.ts";
import type { MemoryBody } from "../messages/mod.ts";
import type { BodyPlace, PoolReader } from "./pool_memory.ts";
import { type BodyKeeper, isPlace, PooledBody, type StoredBody } from "./stored_body.ts";

/** Memory of a place without its list of chunks, in bytes: objects and map slots. */
const PLACE_BYTES = 200;
const CHUNK_NUMBER_BYTES = 8;

/** Largest part of the memory for held bodies that one of them may take. */
const MOST_SHARE = 1 / 16;

/**
 * Once the memory is full, one of so many bodies that are read takes the place of others
 * (bimodal insertion). One that is asked for often soon does; a walk over all pages makes
 * hardly any garbage.
 */
const ONE_OF = 16;

interface Held extends RingEntry<Held> {
  readonly place: BodyPlace;
  readonly body: MemoryBody;
}

export class BorrowedBodies implements BodyKeeper {
  readonly #held = new Map<BodyPlace, Held>();
  readonly #clock = new ClockRing<Held>();
  #heldBytes = 0;
  /** Bodies that were read since one took the place of others. */
  #passedOver = 0;

  /** @param capacity Memory for bodies that are held here as well, in bytes. */
  constructor(private readonly pool: PoolReader, private readonly capacity: number) {}

  /** Bytes of bodies that are held here as well; never above the capacity. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  cost(body: MemoryBody | BodyPlace): number {
    return isPlace(body) ? PLACE_BYTES + CHUNK_NUMBER_BYTES * body.chunks.length : body.length;
  }

  keep(body: MemoryBody | BodyPlace): PooledBody | undefined {
    return isPlace(body) ? new PooledBody(body, this) : undefined;
  }

  drop(body: StoredBody): void {
    const held = body instanceof PooledBody ? this.#held.get(body.place) : undefined;
    if (held !== undefined) this.#letGo(held);
  }

  read(place: BodyPlace): MemoryBody | undefined {
    const held = this.#held.get(place);
    if (held !== undefined) {
      held.used = true;
      return held.body;
    }
    const body = this.pool.read(place);
    if (body !== undefined) this.#hold(place, body);
    return body;
  }

  #hold(place: BodyPlace, body: MemoryBody): void {
    if (body.length > this.capacity * MOST_SHARE || !this.#admits(body)) return;
    while (this.#heldBytes + body.length > this.capacity) this.#letGo(this.#clock.victim()!);
    const held: Held = { place, body, used: false, previous: undefined, next: undefined };
    this.#held.set(place, held);
    this.#clock.add(held);
    this.#heldBytes += body.length;
  }

  #admits({ length }: MemoryBody): boolean {
    if (this.#heldBytes + length <= this.capacity) return true;
    this.#passedOver = (this.#passedOver + 1) % ONE_OF;
    return this.#passedOver === 0;
  }

  #letGo(held: Held): void {
    this.#clock.remove(held);
    this.#held.delete(held.place);
    this.#heldBytes -= held.body.length;
  }
}
