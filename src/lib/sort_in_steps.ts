/** @module Sorts a long list without blocking other work. */
import type { Steps } from "./next_turn.ts";

/** Number of items that are sorted or merged between two interruptions. */
const RUN = 2000;

function* merge<T>(left: readonly T[], right: readonly T[], before: Order<T>): Steps<T[]> {
  const merged: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length && r < right.length) {
    merged.push(before(right[r]!, left[l]!) ? right[r++]! : left[l++]!);
    if (merged.length % RUN === 0) yield;
  }
  for (; l < left.length; l++) merged.push(left[l]!);
  for (; r < right.length; r++) merged.push(right[r]!);
  return merged;
}

/** Returns whether one item comes strictly before another. */
export type Order<T> = (left: T, right: T) => boolean;

/** Returns the items in order (merge sort). Equal items keep their order. */
export function* sortInSteps<T>(items: readonly T[], before: Order<T>): Steps<T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += RUN) {
    if (start > 0) yield;
    runs.push(
      items.slice(start, start + RUN).sort((a, b) => before(a, b) ? -1 : before(b, a) ? 1 : 0),
    );
  }
  while (runs.length > 1) {
    const next: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      const [left, right] = [runs[index]!, runs[index + 1]];
      next.push(right === undefined ? left : yield* merge(left, right, before));
    }
    runs = next;
  }
  return runs[0] ?? [];
}
