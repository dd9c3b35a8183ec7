/**
 * Splits a stream of bytes at positions that depend on its content, not at fixed distances. After a
 * change, the parts before and after the change therefore remain the same.
 *
 * @module
 */
import { createHmac } from "node:crypto";

/** Minimum and maximum size of a part, in bytes. */
interface PartBounds {
  readonly min: number;
  readonly max: number;
  /** On average, a part ends 2^n bytes after the minimum size, where n is this number. */
  readonly bits: number;
}

/**
 * Parts are 1.5 MiB on average, so only a few requests are needed, and after a small change, little
 * has to be sent.
 */
const PART_BOUNDS: PartBounds = { min: 512 * 1024, max: 4 * 1024 * 1024, bits: 20 };

/** Number of bytes covered by a 32-bit hash that shifts by one bit per byte. */
const WINDOW = 32;

/**
 * Returns the number that each byte value adds to the hash. To anyone without the secret, the sizes
 * of the parts reveal nothing about the content.
 */
function gearOf(secret: string | Uint8Array): Int32Array {
  const gear = new Int32Array(256);
  for (let byte = 0; byte < gear.length; byte++) {
    gear[byte] = createHmac("sha256", secret).update(`gear ${byte}`).digest().readInt32BE(0);
  }
  return gear;
}

export class Cutter {
  readonly #gear: Int32Array;
  readonly #bounds: PartBounds;
  readonly #part: Uint8Array<ArrayBuffer>;
  #length = 0;
  #hash = 0;

  constructor(secret: string | Uint8Array, bounds: PartBounds = PART_BOUNDS) {
    this.#gear = gearOf(secret);
    this.#bounds = bounds;
    this.#part = new Uint8Array(bounds.max);
  }

  /** Accepts bytes, and yields the parts that end within these bytes. */
  *push(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
    for (let at = 0; at < bytes.byteLength;) {
      const room = bytes.subarray(at, at + this.#bounds.max - this.#length);
      const taken = this.#findEnd(room);
      const isEnd = taken !== undefined;
      const piece = isEnd ? room.subarray(0, taken) : room;
      this.#part.set(piece, this.#length);
      this.#length += piece.byteLength;
      at += piece.byteLength;
      if (isEnd || this.#length === this.#bounds.max) yield this.#take();
    }
  }

  /** Returns the remaining bytes as the last part, if there are any. */
  *finish(): Generator<Uint8Array<ArrayBuffer>> {
    if (this.#length > 0) yield this.#take();
  }

  #take(): Uint8Array<ArrayBuffer> {
    const part = this.#part.slice(0, this.#length);
    this.#length = 0;
    this.#hash = 0;
    return part;
  }

  /** Returns how many of the given bytes belong to the part that ends within them. */
  #findEnd(bytes: Uint8Array): number | undefined {
    const { min, bits } = this.#bounds;
    const gear = this.#gear;
    const shift = 32 - bits;
    let hash = this.#hash;
    let at = Math.min(bytes.byteLength, Math.max(0, min - WINDOW - this.#length));
    const firstEnd = min - this.#length;
    for (; at < bytes.byteLength; at++) {
      hash = (hash << 1) + gear[bytes[at]!]! | 0;
      if (at + 1 >= firstEnd && hash >>> shift === 0) return at + 1;
    }
    this.#hash = hash;
    return undefined;
  }
}
