/**
 * @module A distribution of times that provides quantiles.
 *
 * Uses DDSketch (Masson et al., 2019): the bounds of the bins grow by a constant factor, so every
 * quantile is accurate to within 2% for any distribution.
 */

/** Maximum relative error of a quantile. */
const ACCURACY = 0.02;
const GROWTH = (1 + ACCURACY) / (1 - ACCURACY);
const LOG_GROWTH = Math.log(GROWTH);
/** Lower limit of the bins, in milliseconds. */
const SHORTEST_MS = 0.01;
/** Upper limit of the bins, in milliseconds: ten minutes. */
const LONGEST_MS = 600_000;
const FIRST_BIN = Math.ceil(Math.log(SHORTEST_MS) / LOG_GROWTH);
const BINS = Math.ceil(Math.log(LONGEST_MS) / LOG_GROWTH) - FIRST_BIN + 1;

/** Non-empty bins, each with its count. */
export type EncodedDistribution = readonly (readonly [number, number])[];

function binOf(ms: number): number {
  if (!(ms > SHORTEST_MS)) return 0;
  return Math.min(BINS - 1, Math.ceil(Math.log(ms) / LOG_GROWTH) - FIRST_BIN);
}

/** Returns the value that has the same relative distance from both bounds of a bin. */
const middleOf = (bin: number): number => 2 * GROWTH ** (bin + FIRST_BIN) / (GROWTH + 1);

export class Distribution {
  readonly #bins = new Uint32Array(BINS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds a time in milliseconds. */
  add(ms: number): void {
    this.#bins[binOf(ms)]!++;
    this.#count++;
  }

  merge(encoded: EncodedDistribution): void {
    for (const [bin, count] of encoded) {
      if (bin < 0 || bin >= BINS) continue;
      this.#bins[bin]! += count;
      this.#count += count;
    }
  }

  /** Returns the quantile `q` of all times, in milliseconds; `null` if there are none. */
  quantile(q: number): number | null {
    if (this.#count === 0) return null;
    const rank = Math.max(0, Math.ceil(q * this.#count) - 1);
    let seen = 0;
    const bin = this.#bins.findIndex((count) => (seen += count) > rank);
    return middleOf(bin);
  }

  encode(): EncodedDistribution {
    const encoded: [number, number][] = [];
    this.#bins.forEach((count, bin) => {
      if (count > 0) encoded.push([bin, count]);
    });
    return encoded;
  }
}
