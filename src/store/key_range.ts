/** Converts a list selector to a range of encoded keys. Pure. @module */
import { Buffer } from "node:buffer";
import { encodeKey } from "./key_encoding.ts";
import type { ListSelector, RecordKey } from "./record_types.ts";

/** Encoded keys from `start` (inclusive) to `end` (exclusive). */
export interface KeyRange {
  readonly start: Uint8Array<ArrayBuffer>;
  readonly end: Uint8Array<ArrayBuffer>;
}

/**
 * When appended to a prefix, these bytes are the bounds of all keys under the prefix. The prefix
 * itself is outside these bounds.
 */
const AFTER_PREFIX = 0x00;
const BEYOND_PREFIX = 0xff;

function extend(bytes: Uint8Array, last: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...bytes, last]);
}

function below(prefix: Uint8Array, key: RecordKey, name: string): Uint8Array<ArrayBuffer> {
  const bytes = encodeKey(key);
  const isBelow = prefix.every((byte, index) => bytes[index] === byte);
  if (!isBelow) throw new TypeError(`Cannot list: the ${name} key is not below the prefix`);
  return bytes;
}

/**
 * @throws {TypeError} if the start or end is outside the prefix, or the end is before the start.
 */
export function rangeOf(selector: ListSelector): KeyRange {
  const range = "prefix" in selector
    ? rangeBelow(selector)
    : { start: encodeKey(selector.start), end: encodeKey(selector.end) };
  if (Buffer.compare(range.start, range.end) > 0) {
    throw new TypeError("Cannot list: the start key comes after the end key");
  }
  return range;
}

function rangeBelow(
  selector: { readonly prefix: RecordKey; readonly start?: RecordKey; readonly end?: RecordKey },
): KeyRange {
  const prefix = encodeKey(selector.prefix);
  const { start, end } = selector;
  if (start !== undefined && end !== undefined) {
    throw new TypeError("Cannot list: use a prefix with a start or an end, not both");
  }
  return {
    start: start === undefined ? extend(prefix, AFTER_PREFIX) : below(prefix, start, "start"),
    end: end === undefined ? extend(prefix, BEYOND_PREFIX) : below(prefix, end, "end"),
  };
}

/** Returns the part of a range that comes after one of its keys in a listing. */
export function rangeAfter(range: KeyRange, last: Uint8Array, reverse: boolean): KeyRange {
  // There is no key between a key and the same key with a zero byte appended.
  return reverse ? { ...range, end: Uint8Array.from(last) } : { ...range, start: extend(last, 0) };
}
