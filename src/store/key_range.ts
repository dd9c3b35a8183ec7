/**
 * What a listing selects, as a range of encoded keys. Pure.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { encodeKey } from "./key_encoding.ts";

/** Encoded keys from `start` (with it) to `end` (without it). */
export interface KeyRange {
  readonly start: Uint8Array<ArrayBuffer>;
  readonly end: Uint8Array<ArrayBuffer>;
}

/** Every key below a prefix lies between these two, and the prefix itself does not. */
const AFTER_PREFIX = 0x00;
const BEYOND_PREFIX = 0xff;

function extend(bytes: Uint8Array, last: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...bytes, last]);
}

function below(prefix: Uint8Array, key: Deno.KvKey, name: string): Uint8Array<ArrayBuffer> {
  const bytes = encodeKey(key);
  const isBelow = prefix.every((byte, index) => bytes[index] === byte);
  if (!isBelow) throw new TypeError(`Cannot list: the ${name} key is not below the prefix`);
  return bytes;
}

/** @throws {TypeError} where the start or end lies outside the prefix, or the end before the start. */
export function rangeOf(selector: Deno.KvListSelector): KeyRange {
  const range = "prefix" in selector
    ? rangeBelow(selector)
    : { start: encodeKey(selector.start), end: encodeKey(selector.end) };
  if (Buffer.compare(range.start, range.end) > 0) {
    throw new TypeError("Cannot list: the start key comes after the end key");
  }
  return range;
}

function rangeBelow(
  selector: { readonly prefix: Deno.KvKey; readonly start?: Deno.KvKey; readonly end?: Deno.KvKey },
): KeyRange {
  const prefix = encodeKey(selector.prefix);
  const { start, end } = selector;
  if (start !== undefined && end !== undefined) {
    throw new TypeError("Cannot list: give a start or an end beside a prefix, not both");
  }
  return {
    start: start === undefined ? extend(prefix, AFTER_PREFIX) : below(prefix, start, "start"),
    end: end === undefined ? extend(prefix, BEYOND_PREFIX) : below(prefix, end, "end"),
  };
}

/** Names a place in a listing: right after this key. */
export function cursorOf(key: Uint8Array): string {
  return key.toBase64({ alphabet: "base64url" });
}

/**
 * What is left of a range after the place that a cursor names.
 *
 * @throws {TypeError} for a cursor that is not of this listing.
 */
export function rangeAfter(range: KeyRange, cursor: string, reverse: boolean): KeyRange {
  const last = readCursor(cursor);
  const isInside = last !== undefined && Buffer.compare(last, range.start) >= 0 &&
    Buffer.compare(last, range.end) < 0;
  if (!isInside) throw new TypeError("Cannot list: the cursor is not of this listing");
  // No key lies between another one and the same with a zero.
  return reverse ? { ...range, end: last } : { ...range, start: extend(last, 0) };
}

function readCursor(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(text, { alphabet: "base64url" });
  } catch {
    return undefined;
  }
}
