/** @module Omits flags from a request if they were not given. */

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the entries with a value. Omitted options therefore keep their current values. */
export function definedOnly<T extends object>(values: T): Defined<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}
