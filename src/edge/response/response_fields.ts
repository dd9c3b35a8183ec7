/**
 * @module Writes header fields into a `Response`.
 *
 * `Headers.append()` compares each name with all names before it, which takes 2 µs for the twelve
 * fields of a cache hit. Valid fields are therefore written directly into the array of pairs in
 * which Deno stores the fields of a `Headers`. Lists that many responses share are validated only
 * once, in advance. If a `Headers` has no such array, the fields are appended one by one.
 */
import { findListKey, listOf } from "../../lib/raw_fields.ts";
import { type Header, type HeaderList, isChecked, isSendable } from "../messages/header_list.ts";

/** Replaces the header fields of a new `Response` with `fields` and `last`. */
type FieldWriter = (response: Response, fields: HeaderList, last: Header) => void;

/** Control characters other than tab, which `Headers` accepts but HTTP does not (RFC 9110, 5.5). */
// deno-lint-ignore no-control-regex -- matches control characters on purpose
const CONTROLS = /[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/**
 * Appends the header fields one by one, replacing control characters with spaces. First deletes the
 * type that `Response` sets for a string, because the response has its own type or a header rule
 * removed it.
 */
export function appendFields({ headers }: Response, fields: HeaderList, last: Header): void {
  headers.delete("content-type");
  for (const [name, value] of fields) headers.append(name, value.replaceAll(CONTROLS, " "));
  headers.append(last[0], last[1]);
}

/** Creates a writer that puts valid lists into the array under `key`. `last` must be valid. */
export function fieldWriter(key: symbol | undefined): FieldWriter {
  if (key === undefined) return appendFields;
  return (response, fields, last) => {
    const isFit = isChecked(fields) || isSendable(fields);
    const list = isFit ? listOf(response.headers, key) : undefined;
    if (list === undefined) return appendFields(response, fields, last);
    // Without this check, filling an empty array would take twice as long.
    if (list.length > 0) list.length = 0;
    for (const field of fields) list.push(field);
    list.push(last);
  };
}

/** The writer for this runtime. */
export const writeFields: FieldWriter = fieldWriter(findListKey());
