/**
 * Flags that become settings of a project.
 *
 * @module
 */

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The entries that are set, so that what was not asked for stays as it is. */
export function definedOnly<T extends object>(values: T): Defined<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}

/** As {@link definedOnly}; an empty text clears the setting. */
export function clearable<T extends Record<string, string | undefined>>(
  values: T,
): { [K in keyof T]?: Exclude<T[K], undefined> | null } {
  const entries = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, value === "" ? null : value]);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> | null };
}
