/** @module Finds the lines in which two texts differ. Pure. */

export interface DiffLine {
  readonly type: "same" | "removed" | "added";
  readonly text: string;
}

/**
 * Maximum number of line pairs that are compared. For longer texts, one text is shown after the
 * other.
 */
const MAX_PAIRS = 4_000_000;

/** Lengths of the longest common subsequences of all suffixes of both lists, row by row. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint16Array {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i * width + j] = before[i] === after[j]
        ? lengths[(i + 1) * width + j + 1]! + 1
        : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  return lengths;
}

function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  if (before.length * after.length <= MAX_PAIRS) {
    const width = after.length + 1;
    const lengths = commonLengths(before, after);
    while (i < before.length && j < after.length) {
      if (before[i] === after[j]) {
        lines.push({ type: "same", text: before[i++]! });
        j++;
      } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) {
        lines.push({ type: "removed", text: before[i++]! });
      } else lines.push({ type: "added", text: after[j++]! });
    }
  }
  while (i < before.length) lines.push({ type: "removed", text: before[i++]! });
  while (j < after.length) lines.push({ type: "added", text: after[j++]! });
  return lines;
}

/** Compares two texts line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [one, other] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const same = (text: string): DiffLine => ({ type: "same", text });
  return [
    ...one.slice(0, start).map(same),
    ...diffMiddle(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...one.slice(one.length - end).map(same),
  ];
}
