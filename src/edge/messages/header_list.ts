/** @module Header fields as pairs, which are built once and shared by many responses. */

/** One field: its name in lower case, and its value. */
export type Header = [name: string, value: string];

/** A list of header fields that responses share. It is never modified. */
export type HeaderList = readonly Header[];

/** Returns the value of the first field with the given lowercase name. */
export function findHeader(headers: HeaderList, name: string): string | undefined {
  return headers.find((header) => header[0] === name)?.[1];
}

/** Returns all lines of a field, joined (RFC 9110, 5.3), or `undefined` if there is none. */
export function joinedHeader(headers: HeaderList, name: string): string | undefined {
  const first = findHeader(headers, name);
  if (first === undefined) return undefined;
  const lines = headers.filter((header) => header[0] === name);
  return lines.length === 1 ? first : lines.map((header) => header[1]).join(", ");
}

export interface RequestFields {
  /** Returns the value of a field by its lowercase name, or `null` if it is missing. */
  header(name: string): string | null;
}

/** Marks a list that has been checked. A copy of the list is not marked. */
const CHECKED = Symbol("checked");

/** A token (RFC 9110, 5.6.2) in lower case. */
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** A field value (RFC 9110, 5.5), without leading or trailing whitespace. */
const VALUE = /^(?:[!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?)?$/;

/** Whether a lowercase string is a valid field name. */
export function isFieldName(text: string): boolean {
  return NAME.test(text);
}

/** Whether every field is valid and can be sent unchanged. If so, no field can inject another. */
export function isSendable(headers: HeaderList): boolean {
  for (const [name, value] of headers) if (!isFieldName(name) || !VALUE.test(value)) return false;
  return true;
}

/**
 * Checks a list once for all responses that will share the list. A valid list is frozen, and
 * `isChecked()` recognizes it. Returns the same list.
 */
export function checkOnce(headers: HeaderList): HeaderList {
  if (!isSendable(headers)) return headers;
  Object.defineProperty(headers, CHECKED, { value: true });
  headers.forEach(Object.freeze);
  return Object.freeze(headers);
}

/** Whether a list has passed `checkOnce()`. */
export function isChecked(headers: HeaderList): boolean {
  return CHECKED in headers;
}
