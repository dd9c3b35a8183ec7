/** @module The counters of all keys: a hash table of fixed size, in sets of eight slots. */
import { advance, PARTS, RING, type Ring } from "./sliding_counts.ts";

/** Number of slots per set. A key can be in any slot of its set. */
const WAYS = 8;

/**
 * Layout of a tag word: bits of the hash, the window's length, and the used fraction of the limit.
 */
const SHARE_BITS = 8;
const WINDOW_BITS = 10;
const SHARE_MASK = (1 << SHARE_BITS) - 1;
const WINDOW_MASK = (1 << WINDOW_BITS) - 1;
const HASH_MASK = -1 << (SHARE_BITS + WINDOW_BITS);

/** Maximum window that fits in the tag, in seconds. */
export const MAX_WINDOW_SECONDS = WINDOW_MASK;

/** Number of bytes in a slot: hash, tag, part and counters. */
const SLOT_BYTES = 4 * (3 + RING);

/** A key's hash, and the window in which the key is counted. */
interface SlotKey {
  readonly low: number;
  readonly high: number;
  readonly windowSeconds: number;
}

/** Returns the length of each part of a window, in milliseconds. */
export function partMilliseconds(windowSeconds: number): number {
  return windowSeconds * 1000 / PARTS;
}

/** The slots of all keys. A slot is free if none of its counts still apply. */
export class CounterTable {
  readonly slots: number;
  /** Number of keys that were evicted while their counts still applied. */
  evicted = 0;
  readonly #setMask: number;
  readonly #hashes: Uint32Array;
  readonly #tags: Uint32Array;
  readonly #parts: Uint32Array;
  readonly #rings: Ring & { offset: number };

  /** @throws {RangeError} Unless `slots` is a power of two from 8 to 2^26 */
  constructor(slots: number) {
    if (slots < WAYS || slots > 2 ** 26 || !Number.isInteger(Math.log2(slots))) {
      throw new RangeError(
        `Cannot create a table: the number of slots must be a power of two, but is ${slots}`,
      );
    }
    this.slots = slots;
    this.#setMask = slots / WAYS - 1;
    const memory = new ArrayBuffer(slots * SLOT_BYTES);
    const words = (from: number, count: number) => new Uint32Array(memory, 4 * from, count);
    this.#hashes = words(0, slots);
    this.#tags = words(slots, slots);
    this.#parts = words(2 * slots, slots);
    this.#rings = { counts: words(3 * slots, slots * RING), offset: 0 };
  }

  /** Fixed total size of all slots, in bytes. */
  get byteLength(): number {
    return this.slots * SLOT_BYTES;
  }

  /**
   * Returns the counters of a slot. The object is reused, so it is only valid until the next call.
   */
  ring(slot: number): Ring {
    this.#rings.offset = slot * RING;
    return this.#rings;
  }

  /** Returns the part of the window in which the slot last counted a request. */
  part(slot: number): number {
    return this.#parts[slot]!;
  }

  /**
   * Sets the fraction of its limit that the key has used, from 0 to 1. Keys with a smaller fraction
   * are evicted first.
   */
  setShare(slot: number, share: number): void {
    const bits = Math.round(Math.min(1, share) * SHARE_MASK);
    this.#tags[slot] = (this.#tags[slot]! & ~SHARE_MASK) | bits;
  }

  /**
   * Returns the slot of a key, advanced to the current part. A new key takes a free slot of its set
   * or, if all are in use, evicts the key that has used the smallest fraction of its limit.
   */
  claim(key: SlotKey, now: number): number {
    const part = Math.floor(now / partMilliseconds(key.windowSeconds));
    const tag = (key.high & HASH_MASK) | (key.windowSeconds << SHARE_BITS);
    const first = (key.low & this.#setMask) * WAYS;
    for (let slot = first; slot < first + WAYS; slot++) {
      if (this.#hashes[slot] === key.low && ((this.#tags[slot]! ^ tag) & ~SHARE_MASK) === 0) {
        this.#bringForward(slot, part);
        return slot;
      }
    }
    const slot = this.#choose(first, now);
    this.#hashes[slot] = key.low;
    this.#tags[slot] = tag;
    this.#clear(slot, part);
    return slot;
  }

  #bringForward(slot: number, part: number): void {
    const last = this.#parts[slot]!;
    if (part > last) {
      advance(this.ring(slot), last, part);
      this.#parts[slot] = part;
    } else if (last > part + PARTS) {
      // The clock was set back by more than a window, so earlier counts are meaningless.
      this.#clear(slot, part);
    }
  }

  #clear(slot: number, part: number): void {
    this.#parts[slot] = part;
    this.#rings.counts.fill(0, slot * RING, (slot + 1) * RING);
  }

  #choose(first: number, now: number): number {
    let chosen = first;
    let leastShare = SHARE_MASK + 1;
    for (let slot = first; slot < first + WAYS; slot++) {
      const tag = this.#tags[slot]!;
      const windowSeconds = (tag >>> SHARE_BITS) & WINDOW_MASK;
      if (windowSeconds === 0) return slot;
      const present = Math.floor(now / partMilliseconds(windowSeconds));
      if (Math.abs(present - this.#parts[slot]!) > PARTS) return slot;
      const share = tag & SHARE_MASK;
      if (share < leastShare) {
        leastShare = share;
        chosen = slot;
      }
    }
    this.evicted += 1;
    return chosen;
  }
}
