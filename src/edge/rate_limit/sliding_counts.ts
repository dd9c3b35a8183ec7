/**
 * The arithmetic of one sliding window. Time is cut into parts, eight to a
 * window; a ring of nine counters holds the part under way and the eight before
 * it. What the window holds is the sum of the eight newest parts, and of the
 * ninth those requests that the window still covers, as if they had come at
 * even distances, the first with the beginning of the part.
 *
 * The error follows from that one guess, and is bounded on both sides:
 *
 * - no more than the limit is let through in any 7/8 of a window;
 * - nobody is refused with less than the limit let through in the last 9/8;
 * - the sum is off by less than what the oldest part counted, and exact for
 *   requests that come evenly;
 * - who is refused waits for one window at most: the first request of each part
 *   leaves the window with the part's beginning.
 *
 * @module
 */

/** Parts of a window. */
export const PARTS = 8;

/** Counters of a key: the part under way, and a whole window before it. */
export const RING = PARTS + 1;

/** Room for the last digits of a sum of fractions. */
const EPSILON = 1e-6;

/** One key's ring inside a long array; counts are of requests that were let through. */
export interface Ring {
  readonly counts: Uint32Array;
  /** Index of the ring's first counter. */
  readonly offset: number;
}

/** When it is: the part under way, and how much of it has passed, from 0 to below 1. */
export interface Moment {
  readonly part: number;
  readonly fraction: number;
}

/** The index of the counter of a part. */
export function counterOf(ring: Ring, part: number): number {
  return ring.offset + part % RING;
}

/** Clears the counters of parts that ended a window ago, between the part last seen and this one. */
export function advance(ring: Ring, lastPart: number, part: number): void {
  const steps = Math.min(part - lastPart, RING);
  for (let step = 1; step <= steps; step++) ring.counts[counterOf(ring, lastPart + step)] = 0;
}

/** Requests of the oldest part that the window still covers when so much of the present part has passed. */
function leftOf(oldest: number, fraction: number): number {
  return Math.max(0, oldest - 1 - Math.floor(oldest * fraction + EPSILON));
}

/** What the window holds at a moment. The ring must have been advanced to its part. */
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

/** Parts to wait, from a moment, until one more request fits if none comes in between; 0 where it does now. */
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
