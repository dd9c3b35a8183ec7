/** @module Flags that become members of a request. */

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The defined entries, so that options not given stay unchanged. */
export function definedOnly<T extends object>(values: T): Defined<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}
