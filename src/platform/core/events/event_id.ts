/**
 * Event IDs, and IDs derived from them: version 7 UUIDs (RFC 9562). They only ever increase, so the
 * order of IDs is the order of events.
 *
 * @module
 */
import type { Clock, Random } from "../../../lib/clock.ts";
import { sha256Hex } from "../../../lib/hash.ts";

/** Maximum number of distinct events in one millisecond (RFC 9562, 6.2, method 1). */
const PER_MILLISECOND = 0x1000;

const uuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)]
    .join("-");

const hexOf = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");

/** Returns the two variant bits, followed by 62 random bits. */
function variant(hex: string): string {
  return ((parseInt(hex[0]!, 16) & 0x3) | 0x8).toString(16) + hex.slice(1, 16);
}

/** Creates IDs, each greater than all earlier ones, even if the clock is set back. */
export class EventIds {
  #time = 0;
  #count = 0;

  readonly #now: Clock;
  readonly #random: Random;

  constructor(now: Clock, random: Random) {
    this.#now = now;
    this.#random = random;
  }

  /** Continues after an ID that this node or another one created earlier. */
  resume(last: string): void {
    const time = parseInt(last.slice(0, 8) + last.slice(9, 13), 16);
    const count = parseInt(last.slice(15, 18), 16);
    if (time < this.#time || time === this.#time && count <= this.#count) return;
    this.#time = time;
    this.#count = count;
  }

  next(): string {
    const now = this.#now();
    if (now > this.#time) {
      this.#time = now;
      this.#count = 0;
    } else if (++this.#count === PER_MILLISECOND) {
      this.#time++;
      this.#count = 0;
    }
    const chance = variant(this.#random(8).toHex());
    return uuid(`${hexOf(this.#time, 12)}7${hexOf(this.#count, 3)}${chance}`);
  }
}

/**
 * Returns the ID of the notification about an event for one receiver. The ID is the same for every
 * call, sorts in the order of events, and cannot be guessed from another receiver's ID.
 */
export function receiptId(eventId: string, userId: string): string {
  const ordered = eventId.replaceAll("-", "").slice(0, 16);
  return uuid(ordered + variant(sha256Hex(`${eventId} ${userId}`)));
}
