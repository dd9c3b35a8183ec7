/** @module The result of a statement. Values are in PostgreSQL's text form, or null. */

export interface Column {
  readonly name: string;
  /** Type such as `int4`, or `oid:<n>` for types that are not built in. */
  readonly type: string;
}

export type Row = readonly (string | null)[];

const NUMBERS: ReadonlySet<string> = new Set([
  "int2",
  "int4",
  "int8",
  "oid",
  "numeric",
  "float4",
  "float8",
  "money",
]);

/** Returns whether the values of a type are numbers, which are right-aligned. */
export function isNumber({ type }: Column): boolean {
  return NUMBERS.has(type);
}

/**
 * Returns the number of rows that a statement returned or changed, based on its tag such as `INSERT
 * 0 3`, or null if unknown.
 */
export function rowCountOf(command: string): number | null {
  const [, digits] = /^[A-Z ]+(?: \d+)? (\d+)$/.exec(command) ?? [];
  return digits === undefined ? null : Number(digits);
}
