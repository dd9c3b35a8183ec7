/**
 * @module Writes header fields into a `Response`.
 *
 * `Headers.append()` compares each name with all before it: 2 µs for the twelve fields of a cache
 * hit. So valid fields are written straight into the array of pairs in which Deno keeps the fields
 * of a `Headers`; lists that many responses share were validated before. If that array is missing,
 * each field is appended.
 */
import { findListKey, listOf } from "../../lib/raw_fields.ts";
import { type Header, type HeaderList, isChecked, isSendable } from "../messages/header_list.ts";

/** Replaces the fields of a new `Response` with `fields` and `last`. */
export type FieldWriter = (response: Response, fields: HeaderList, last: Header) => void;

/** Control characters other than a tab, which `Headers` accepts and HTTP does not (RFC 9110, 5.5). */
// deno-lint-ignore no-control-regex -- control characters are what is sought
const CONTROLS = /[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/**
 * Appends field by field, replacing control characters with spaces. First deletes the type that
 * `Response` gives to a string: the response has its own, or a header rule removed it.
 */
export function appendFields({ headers }: Response, fields: HeaderList, last: Header): void {
  headers.delete("content-type");
  for (const [name, value] of fields) headers.append(name, value.replaceAll(CONTROLS, " "));
  headers.append(last[0], last[1]);
}

/** Creates a writer that puts valid lists into the array under `key`; `last` must be valid. */
export function fieldWriter(key: symbol | undefined): FieldWriter {
  if (key === undefined) return appendFields;
  return (response, fields, last) => {
    const isFit = isChecked(fields) || isSendable(fields);
    const list = isFit ? listOf(response.headers, key) : undefined;
    if (list === undefined) return appendFields(response, fields, last);
    // Setting the length of an empty array and filling it takes twice as long.
    if (list.length > 0) list.length = 0;
    for (const field of fields) list.push(field);
    list.push(last);
  };
}

/** The writer of this runtime. */
export const writeFields: FieldWriter = fieldWriter(findListKey());
