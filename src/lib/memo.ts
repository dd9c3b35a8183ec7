/**
 * Remembering what belongs to a text, within bounds.
 *
 * @module
 */

/**
 * The latest entries. Two generations of `capacity` each: what was asked for
 * since the last turn survives, so a flood of new texts costs time but never
 * space.
 */
export class RecentMap<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(private readonly capacity: number) {}

  get(text: string): Value | undefined {
    const known = this.#young.get(text);
    if (known !== undefined) return known;
    const older = this.#old.get(text);
    if (older !== undefined) this.set(text, older);
    return older;
  }

  set(text: string, value: Value): void {
    if (this.#young.size >= this.capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(text, value);
  }
}

/** Longest text whose result is remembered, in characters: it is clients who write these texts. */
const MAX_TEXT = 512;

/** Returns `compute`, a pure function, with a memory of its latest results. */
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
