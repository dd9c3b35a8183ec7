/**
 * The arithmetic of one sliding window. Time is divided into parts, eight in a
 * window; a ring of nine counters holds the current part and the eight before it.
 * The count of the window is the sum of the eight newest parts, and of the oldest
 * part those requests that the window still covers, as if they had come at even
 * intervals, the first at the start of the part.
 *
 * The error follows from that one assumption, and is bounded on both sides:
 *
 * - no more than the limit is allowed in any 7/8 of a window;
 * - no request is refused with less than the limit allowed in the last 9/8;
 * - the sum is off by less than the count of the oldest part, and exact for
 *   requests that come evenly;
 * - a refused client waits for one window at most: the first request of each part
 *   leaves the window with the start of the part.
 *
 * @module
 */

/** Parts of a window. */
export const PARTS = 8;

/** Counters of a key: the current part, and a whole window before it. */
export const RING = PARTS + 1;

/** Tolerance for floating-point error. */
const EPSILON = 1e-6;

/** One key's ring of counters of allowed requests, inside a long array. */
export interface Ring {
  readonly counts: Uint32Array;
  /** Index of the ring's first counter. */
  readonly offset: number;
}

/** A time: the current part, and the fraction of it that has passed, from 0 to below 1. */
export interface Moment {
  readonly part: number;
  readonly fraction: number;
}

/** The index of the counter of a part. */
export function counterOf(ring: Ring, part: number): number {
  return ring.offset + part % RING;
}

/** Advances a ring from the part that it last counted in, and clears the counters in between. */
export function advance(ring: Ring, lastPart: number, part: number): void {
  const steps = Math.min(part - lastPart, RING);
  for (let step = 1; step <= steps; step++) ring.counts[counterOf(ring, lastPart + step)] = 0;
}

/**
 * Requests of the oldest part that the window still covers, when a fraction of the
 * current part has passed.
 */
function leftOf(oldest: number, fraction: number): number {
  return Math.max(0, oldest - 1 - Math.floor(oldest * fraction + EPSILON));
}

/** The count of the window at a moment. The ring must have been advanced to its part. */
export function heldBy(ring: Ring, { part, fraction }: Moment): number {
  let sum = 0;
  for (let index = ring.offset; index < ring.offset + RING; index++) sum += ring.counts[index]!;
  const oldest = ring.counts[counterOf(ring, part + 1)]!;
  return sum - oldest + leftOf(oldest, fraction);
}

/** Whether one more request fits. */
export function hasRoom(held: number, limit: number): boolean {
  return held < limit;
}

/** How many more requests fit. */
export function roomLeft(held: number, limit: number): number {
  return Math.max(0, limit - held);
}

/** Parts to wait until one more request fits, if none comes in between; 0 where one fits now. */
export function partsUntilRoom(ring: Ring, { part, fraction }: Moment, limit: number): number {
  let sum = 0;
  for (let index = ring.offset; index < ring.offset + RING; index++) sum += ring.counts[index]!;
  for (let ahead = 0; ahead < RING; ahead++) {
    const oldest = ring.counts[counterOf(ring, part + 1 + ahead)]!;
    sum -= oldest;
    if (!hasRoom(sum, limit)) continue;
    const needed = oldest === 0 ? 0 : (oldest - (limit - sum)) / oldest;
    return Math.max(0, ahead + Math.max(0, needed) - fraction);
  }
  return RING - fraction;
}

/** Parts to wait until the window is empty if no request comes; 0 for an empty one. */
export function partsUntilEmpty(ring: Ring, { part, fraction }: Moment): number {
  for (let back = 0; back < RING; back++) {
    const count = ring.counts[counterOf(ring, part + RING - back)]!;
    if (count > 0) return Math.max(0, PARTS - back + (count - 1) / count - fraction);
  }
  return 0;
}
