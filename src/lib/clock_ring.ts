/**
 * @module Cache entries, in the order in which the CLOCK algorithm evicts them. The hand skips
 * entries that have been used since it last passed them, and stops at the first unused one. Using
 * an entry costs one write, and every operation takes constant time. A `Map` or `Set` would take
 * longer, because finding its oldest entry means skipping all deleted entries at its front.
 */

/** An entry that is linked into a ring. `previous` and `next` belong to the ring. */
export interface RingEntry<Entry> {
  /** Set when the entry is used; cleared when the hand passes. */
  used: boolean;
  previous: Entry | undefined;
  next: Entry | undefined;
}

export class ClockRing<Entry extends RingEntry<Entry>> {
  #hand: Entry | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an entry that is not in any ring. The hand reaches it last. */
  add(entry: Entry): void {
    const hand = this.#hand ?? entry;
    const last = hand.previous ?? entry;
    entry.previous = last;
    entry.next = hand;
    last.next = entry;
    hand.previous = entry;
    this.#hand = hand;
    this.#size++;
  }

  /** Removes an entry. Returns false if it has already been removed. */
  remove(entry: Entry): boolean {
    const { previous, next } = entry;
    if (previous === undefined || next === undefined) return false;
    previous.next = next;
    next.previous = previous;
    if (this.#hand === entry) this.#hand = next === entry ? undefined : next;
    entry.previous = entry.next = undefined;
    this.#size--;
    return true;
  }

  /** Returns the entry to evict, which stays in the ring, or `undefined` if the ring is empty. */
  victim(): Entry | undefined {
    let entry = this.#hand;
    if (entry === undefined) return undefined;
    while (entry.used) {
      entry.used = false;
      entry = entry.next!;
    }
    return this.#hand = entry;
  }
}
