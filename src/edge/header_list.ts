/**
 * Header fields as arrays of pairs: the form that is built once, shared by
 * many answers, and handed to `Response` without a copy per field.
 *
 * @module
 */

/** One field: its name in lower case, and its value. */
export type Header = [name: string, value: string];

/** Shared between answers: never changed after it was built. */
export type HeaderList = readonly Header[];

/** The value of the first field of that name (lower case). */
export function findHeader(headers: HeaderList, name: string): string | undefined {
  return headers.find((header) => header[0] === name)?.[1];
}
