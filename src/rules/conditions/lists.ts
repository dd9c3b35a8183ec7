/** @module Helpers for conditions with a list of values, one of which must match. */
import type { RequestFacts } from "../request/facts.ts";
import type { CandidateIndex } from "./condition_type.ts";

type Value = string | number;

/** Maximum product of the lengths of two lists that are compared. */
const MAX_COMPARISONS = 4_096;

/** Maximum number of list items to show in messages. */
export const MAX_LISTED = 5;

/**
 * Returns whether two lists are short enough to compare each item with all items of the other list.
 */
export const comparable = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length * b.length <= MAX_COMPARISONS;

/** Removes duplicates, keeping the order. */
export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Returns true if every value of `inner` is in `outer`. */
export function listContains(outer: readonly Value[], inner: readonly Value[] | undefined) {
  return inner !== undefined && inner.length > 0 && comparable(outer, inner) &&
    inner.every((value) => outer.includes(value));
}

/** Returns true if two lists have no value in common. */
export function listsDisjoint(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length > 0 && b.length > 0 && comparable(a, b) && !a.some((value) => b.includes(value));
}

/** Describes a list with values, one of which must match. */
export function describeList(values: readonly Value[]): string {
  if (values.length === 0) return "one of an empty list";
  const shown = values.slice(0, MAX_LISTED).join(", ");
  const hidden = values.length - MAX_LISTED;
  return `${values.length === 1 ? "" : "one of "}${shown}${
    hidden > 0 ? ` and ${hidden} more` : ""
  }`;
}

/** Describes a fact about a request, which may be unknown. */
export const describeFact = (value: Value | undefined): string =>
  value === undefined ? "unknown" : String(value);

export function appendTo<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** Creates an index by a fact that has a single value per request. */
export function createValueIndex<K, Normal, T>(
  keysOf: (value: Normal) => readonly K[],
  factOf: (facts: RequestFacts) => K | undefined,
): CandidateIndex<Normal, T> {
  const lists = new Map<K, T[]>();
  return {
    add(value, item) {
      for (const key of keysOf(value)) appendTo(lists, key, item);
      return true;
    },
    visit(facts, take) {
      const fact = factOf(facts);
      const list = fact === undefined ? undefined : lists.get(fact);
      if (list !== undefined) take(list);
    },
  };
}
