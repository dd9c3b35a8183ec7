/**
 * @module Finds the most frequent values in a stream, in bounded memory.
 *
 * This is a Misra-Gries summary: when there are too many values, all counts are reduced by the same
 * amount, and values with a count of zero are dropped. Partial summaries can be merged (Agarwal et
 * al., "Mergeable Summaries", 2012).
 */

/** A value, and the minimum number of times that it was seen. */
export interface Counted {
  readonly value: string;
  readonly count: number;
}

/** A list in the form in which it is stored and sent. */
export interface EncodedTopList {
  readonly counts: readonly (readonly [string, number])[];
  readonly missed: number;
}

export class TopList {
  readonly #counts = new Map<string, number>();
  #missed = 0;

  readonly #capacity: number;

  /** A reduction keeps `capacity` values. Between reductions, there can be twice as many. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Maximum error of a count; 0 as long as no value has been dropped. */
  get missed(): number {
    return this.#missed;
  }

  add(value: string, count = 1): void {
    const known = this.#counts.get(value);
    this.#counts.set(value, known === undefined ? count : known + count);
    if (known === undefined && this.#counts.size > 2 * this.#capacity) this.#reduce();
  }

  merge({ counts, missed }: EncodedTopList): void {
    for (const [value, count] of counts) this.add(value, count);
    this.#missed += missed;
  }

  /**
   * Returns the most frequent values, starting with the most frequent one. Ties are sorted by name.
   */
  top(limit: number): Counted[] {
    return this.#sorted().slice(0, limit).map(([value, count]) => ({ value, count }));
  }

  encode(): EncodedTopList {
    if (this.#counts.size > this.#capacity) this.#reduce();
    return { counts: [...this.#counts], missed: this.#missed };
  }

  #sorted(): [string, number][] {
    return [...this.#counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  #reduce(): void {
    const sorted = this.#sorted();
    const lost = sorted[this.#capacity]?.[1] ?? 0;
    this.#counts.clear();
    for (const [value, count] of sorted) {
      if (count > lost) this.#counts.set(value, count - lost);
    }
    this.#missed += lost;
  }
}
