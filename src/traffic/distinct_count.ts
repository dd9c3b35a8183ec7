/**
 * @module Counts distinct visitors without storing a list of them.
 *
 * Uses HyperLogLog (Flajolet et al., 2007) with 4096 registers and a standard error of 1.6%, and
 * linear counting below 2.5 visitors per register. A register contains only the longest run of
 * zeros in a hash, which does not identify a visitor.
 */

const INDEX_BITS = 12;
const REGISTERS = 1 << INDEX_BITS;
/** Bias correction for large numbers of registers, from the original paper. */
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);
/** Maximum number of non-zero registers that are stored individually. */
const SPARSE_MOST = REGISTERS / 4;

/** Stored registers: either all of them, or three bytes for each register that is set. */
export type EncodedDistinct = Uint8Array;

export class DistinctCount {
  #few: Map<number, number> | undefined = new Map();
  #registers: Uint8Array | undefined;

  /** Adds a visitor, who is identified by two independent 32-bit hashes. */
  add(first: number, second: number): void {
    this.#raise(first >>> (32 - INDEX_BITS), Math.clz32(second) + 1);
  }

  merge(encoded: EncodedDistinct): void {
    if (encoded.byteLength === REGISTERS) {
      encoded.forEach((rank, index) => rank > 0 && this.#raise(index, rank));
      return;
    }
    for (let at = 0; at + 2 < encoded.byteLength; at += 3) {
      this.#raise(encoded[at]! << 8 | encoded[at + 1]!, encoded[at + 2]!);
    }
  }

  /** Returns the estimated number of visitors, rounded. */
  count(): number {
    const ranks = this.#few === undefined ? this.#registers! : this.#few.values();
    let zeros = REGISTERS;
    let sum = 0;
    for (const rank of ranks) {
      if (rank === 0) continue;
      zeros--;
      sum += 2 ** -rank;
    }
    const estimate = ALPHA * REGISTERS * REGISTERS / (sum + zeros);
    const isSmall = estimate <= 2.5 * REGISTERS && zeros > 0;
    return Math.round(isSmall ? REGISTERS * Math.log(REGISTERS / zeros) : estimate);
  }

  encode(): EncodedDistinct {
    if (this.#few === undefined) return this.#registers!.slice();
    const bytes = new Uint8Array(this.#few.size * 3);
    let at = 0;
    for (const [index, rank] of this.#few) {
      bytes[at++] = index >>> 8;
      bytes[at++] = index & 0xff;
      bytes[at++] = rank;
    }
    return bytes;
  }

  #raise(index: number, rank: number): void {
    if (index >= REGISTERS) return;
    if (this.#few === undefined) {
      if (rank > this.#registers![index]!) this.#registers![index] = rank;
      return;
    }
    if (rank > (this.#few.get(index) ?? 0)) this.#few.set(index, rank);
    if (this.#few.size > SPARSE_MOST) this.#spread(this.#few);
  }

  #spread(few: ReadonlyMap<number, number>): void {
    this.#registers = new Uint8Array(REGISTERS);
    for (const [index, rank] of few) this.#registers[index] = rank;
    this.#few = undefined;
  }
}
