/**
 * @module HalfSipHash-2-4 with a 64-bit result (Aumasson and Bernstein, "SipHash: a fast
 * short-input PRF"): a keyed hash in 32-bit arithmetic. Without the key, nobody can find strings
 * that collide, or choose a slot.
 */

/** The key: two unpredictable 32-bit words. */
export interface HashKey {
  readonly k0: number;
  readonly k1: number;
}

/** Hashes a sequence of 32-bit words without allocating. */
export class HalfSipHash {
  /** Low half of the result, after `finish()`. The value is unsigned. */
  low = 0;
  /** High half of the result, after `finish()`. The value is unsigned. */
  high = 0;
  readonly #k0: number;
  readonly #k1: number;
  #v0 = 0;
  #v1 = 0;
  #v2 = 0;
  #v3 = 0;

  constructor(key: HashKey) {
    this.#k0 = key.k0 | 0;
    this.#k1 = key.k1 | 0;
  }

  start(): void {
    this.#v0 = this.#k0;
    this.#v1 = this.#k1 ^ 0xee;
    this.#v2 = 0x6c796765 ^ this.#k0;
    this.#v3 = 0x74656462 ^ this.#k1;
  }

  add(word: number): void {
    this.#v3 ^= word;
    this.#mix(2);
    this.#v0 ^= word;
  }

  /**
   * Adds a string and its length. Without the length, different sequences of strings could produce
   * the same words.
   */
  addText(text: string): void {
    const { length } = text;
    this.add(length);
    const even = length & ~1;
    for (let index = 0; index < even; index += 2) {
      this.add(text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16));
    }
    if (even !== length) this.add(text.charCodeAt(even));
  }

  /** Adds the last word and computes the result into `low` and `high`. */
  finish(word: number): void {
    this.add(word);
    this.#v2 ^= 0xee;
    this.#mix(4);
    this.low = (this.#v1 ^ this.#v3) >>> 0;
    this.#v1 ^= 0xdd;
    this.#mix(4);
    this.high = (this.#v1 ^ this.#v3) >>> 0;
  }

  #mix(rounds: number): void {
    let v0 = this.#v0;
    let v1 = this.#v1;
    let v2 = this.#v2;
    let v3 = this.#v3;
    for (let round = 0; round < rounds; round++) {
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
    this.#v0 = v0;
    this.#v1 = v1;
    this.#v2 = v2;
    this.#v3 = v3;
  }
}
