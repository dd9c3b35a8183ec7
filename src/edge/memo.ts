/**
 * Remembering the results of a pure function of a text, within bounds.
 *
 * @module
 */

/**
 * Returns `compute` with a memory of its latest results. Two generations of
 * `capacity` entries each: what was asked for since the last turn survives, so
 * a flood of new texts costs time but never space.
 */
export function memoize<Result>(
  compute: (text: string) => Result,
  capacity: number,
): (text: string) => Result {
  let young = new Map<string, Result>();
  let old = new Map<string, Result>();
  return (text) => {
    const known = young.get(text);
    if (known !== undefined) return known;
    const result = old.get(text) ?? compute(text);
    if (young.size >= capacity) {
      old = young;
      young = new Map();
    }
    young.set(text, result);
    return result;
  };
}
