/**
 * Writes the fields of an answer into its `Response`.
 *
 * `Headers.append()` compares each name with all before it: 2 µs for the twelve
 * fields of a cache hit. So fields that are sendable go straight into the array
 * of pairs in which Deno keeps the fields of a `Headers`; lists that many
 * answers carry were checked before. That array is no public interface, so it is
 * looked for at the start, and tried; without it each field is appended.
 *
 * @module
 */
import { type Header, type HeaderList, isChecked, isSendable } from "../messages/mod.ts";

/** Deno's name for the array. */
const LIST_NAME = "header list";

type WithLists = Readonly<Record<symbol, Header[] | undefined>>;

function listOf(headers: Headers, key: symbol): Header[] | undefined {
  return (headers as unknown as WithLists)[key];
}

/** Whether what is put into the array is what the answer's fields are. */
function isTheList(key: symbol): boolean {
  const { headers } = new Response("");
  const list = listOf(headers, key);
  if (!Array.isArray(list)) return false;
  list.length = 0;
  list.push(["etag", '"1"'], ["vary", "accept"]);
  return JSON.stringify([...headers]) === JSON.stringify(list);
}

/** The symbol under which this runtime keeps the array; `undefined` where it does otherwise. */
export function findListKey(): symbol | undefined {
  const keys = Object.getOwnPropertySymbols(new Response("").headers);
  const key = keys.find(({ description }) => description === LIST_NAME);
  return key !== undefined && isTheList(key) ? key : undefined;
}

/** Writes `fields` and `last` in place of what a new `Response` has of its own. */
export type FieldWriter = (response: Response, fields: HeaderList, last: Header) => void;

/**
 * Control characters that `Headers` takes, other than a tab: where a value has
 * one, the server of Deno 2.9 ends the whole process.
 */
// deno-lint-ignore no-control-regex -- control characters are what is sought
const CONTROLS = /[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/**
 * Appends field by field, a space for each control character. The type that
 * `Response` gives a string is taken off first: the answer has its own, or none
 * by a header rule.
 */
export function appendFields({ headers }: Response, fields: HeaderList, last: Header): void {
  headers.delete("content-type");
  for (const [name, value] of fields) headers.append(name, value.replaceAll(CONTROLS, " "));
  headers.append(last[0], last[1]);
}

/** Makes a writer that puts sendable lists into the array under `key`; `last` must be sendable. */
export function fieldWriter(key: symbol | undefined): FieldWriter {
  if (key === undefined) return appendFields;
  return (response, fields, last) => {
    const isFit = isChecked(fields) || isSendable(fields);
    const list = isFit ? listOf(response.headers, key) : undefined;
    if (list === undefined) return appendFields(response, fields, last);
    const { length } = fields;
    list.length = length + 1;
    for (let at = 0; at < length; at++) list[at] = fields[at]!;
    list[length] = last;
  };
}

/** The writer of this runtime. */
export const writeFields: FieldWriter = fieldWriter(findListKey());
