/** @module Bounded maps with string keys, and memoization of functions of one string. */

/**
 * A map of recently used entries, in two generations of `capacity` each. When the young generation
 * is full, it replaces the old one, whose unused entries are dropped. A flood of new strings
 * therefore costs time, but not memory.
 */
export class RecentMap<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(text: string): Value | undefined {
    const known = this.#young.get(text);
    if (known !== undefined) return known;
    const older = this.#old.get(text);
    if (older !== undefined) this.set(text, older);
    return older;
  }

  set(text: string, value: Value): void {
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(text, value);
  }

  delete(text: string): void {
    this.#young.delete(text);
    this.#old.delete(text);
  }
}

/**
 * Maximum length of a string whose result is cached, in characters. The length is limited because
 * these strings come from clients.
 */
const MAX_TEXT = 512;

/** Memoizes `compute`, a pure function, with a bounded number of recent results. */
export function memoize<Result>(
  compute: (text: string) => Result,
  capacity: number,
): (text: string) => Result {
  const recent = new RecentMap<Result>(capacity);
  return (text) => {
    if (text.length > MAX_TEXT) return compute(text);
    const known = recent.get(text);
    if (known !== undefined) return known;
    const result = compute(text);
    recent.set(text, result);
    return result;
  };
}
