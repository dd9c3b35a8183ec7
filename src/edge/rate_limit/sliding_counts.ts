/**
 * @module The arithmetic of one sliding window. Time is divided into parts, eight per window. A
 * ring of nine counters holds the current part and the eight before it, each with the time of its
 * last request. The count of the window is the sum of the eight newest parts, plus the oldest part
 * until its last request has left the window.
 *
 * The error therefore has only one direction:
 *
 * - no more than the limit is allowed in any window, regardless of its start;
 * - no request is refused if fewer requests than the limit were allowed in the last 9/8 of a
 *   window;
 * - a burst or a single request leaves the window exactly when it should;
 * - a refused client waits at most one window.
 */

/** Number of parts in a window. */
export const PARTS = 8;

/** Number of counters per key, for the current part and a whole window before it. */
export const RING = PARTS + 1;

/**
 * A counter's lower bits are the count. The upper bits are the time of its last request within the
 * part.
 */
const COUNT_BITS = 17;
const COUNT_MASK = 2 ** COUNT_BITS - 1;
/** Maximum number of steps into which a part is divided. */
const MAX_STEPS = 2 ** (32 - COUNT_BITS) - 1;
/** Tolerance for floating-point error, in steps. */
const EPSILON = 1e-6;

/**
 * Returns the number of steps in a part of `partMilliseconds`, which is one per millisecond for
 * windows up to 262 seconds.
 */
export const stepsOf = (partMilliseconds: number): number => Math.min(partMilliseconds, MAX_STEPS);

/** Highest limit that a counter supports. */
export const MAX_LIMIT = COUNT_MASK;

/** One key's ring of counters for allowed requests. One array contains all rings. */
export interface Ring {
  readonly counts: Uint32Array;
  /** Index of the ring's first counter. */
  readonly offset: number;
}

/** A time: the current part, and the fraction of it that has elapsed, which is less than 1. */
export interface Moment {
  readonly part: number;
  readonly fraction: number;
  /** Number of steps into which the part is divided. */
  readonly steps: number;
}

function counterOf(ring: Ring, part: number): number {
  return ring.offset + part % RING;
}

/**
 * Advances a ring from the part that last counted a request, and clears the counters in between.
 */
export function advance(ring: Ring, lastPart: number, part: number): void {
  const steps = Math.min(part - lastPart, RING);
  for (let step = 1; step <= steps; step++) ring.counts[counterOf(ring, lastPart + step)] = 0;
}

const countOf = (ring: Ring, part: number): number =>
  ring.counts[counterOf(ring, part)]! & COUNT_MASK;

/** Returns the step in which a part counted its last request. */
const lastOf = (ring: Ring, part: number): number =>
  ring.counts[counterOf(ring, part)]! >>> COUNT_BITS;

/**
 * Counts a request. The request's time is rounded up to a step, so the request leaves the window
 * late rather than early.
 */
export function countIn(ring: Ring, { part, fraction, steps }: Moment): void {
  const step = Math.max(Math.ceil(fraction * steps - EPSILON), lastOf(ring, part));
  ring.counts[counterOf(ring, part)] = (step << COUNT_BITS) | (countOf(ring, part) + 1);
}

function sumOf(ring: Ring): number {
  let sum = 0;
  for (let index = ring.offset; index < ring.offset + RING; index++) {
    sum += ring.counts[index]! & COUNT_MASK;
  }
  return sum;
}

/**
 * Returns the number of requests in the window at a moment. The ring must already have been
 * advanced to the moment's part.
 */
export function heldBy(ring: Ring, { part, fraction, steps }: Moment): number {
  const oldest = part + 1;
  const isHeld = fraction * steps < lastOf(ring, oldest) - EPSILON;
  return isHeld ? sumOf(ring) : sumOf(ring) - countOf(ring, oldest);
}

/** Whether one more request fits. */
export function hasRoom(held: number, limit: number): boolean {
  return held < limit;
}

/** Returns the number of further requests that fit. */
export function roomLeft(held: number, limit: number): number {
  return Math.max(0, limit - held);
}

/**
 * Returns the number of parts to wait until another request fits, if no request arrives before
 * that, or 0 if one fits now.
 */
export function partsUntilRoom(ring: Ring, moment: Moment, limit: number): number {
  const { part, fraction, steps } = moment;
  let sum = sumOf(ring);
  for (let ahead = 0; ahead < RING; ahead++) {
    const oldest = part + 1 + ahead;
    sum -= countOf(ring, oldest);
    if (hasRoom(sum, limit)) return Math.max(0, ahead + lastOf(ring, oldest) / steps - fraction);
  }
  return RING - fraction;
}

/**
 * Returns the number of parts to wait until the window is empty, if no request arrives, or 0 if it
 * is already empty.
 */
export function partsUntilEmpty(ring: Ring, { part, fraction, steps }: Moment): number {
  for (let back = 0; back < RING; back++) {
    const counted = part + RING - back;
    if (countOf(ring, counted) > 0) {
      return Math.max(0, PARTS - back + lastOf(ring, counted) / steps - fraction);
    }
  }
  return 0;
}
