/**
 * Checksums of stored values. They are needed because JSON with a flipped bit inside a value can
 * still be parsed.
 *
 * A checksum covers the key and the value. It follows the value, in a form that programs without
 * checksum support ignore: after JSON as whitespace, with two bits per character, and after V8's
 * format 15 as bytes.
 *
 * @module
 */
import { crc32 } from "node:zlib";
import { encodeKey, type RecordKey } from "../../../store/mod.ts";

/** Whitespace characters. Each encodes two bits. */
const BLANKS = [0x20, 0x09, 0x0a, 0x0d];
const BLANK_COUNT = 16;

/** Bytes that precede a checksum after a value in V8's format 15. */
const MARK = [0x73, 0x76, 0x63, 0x23];
const CHECKSUM_BYTES = 4;

function checksumOf(key: RecordKey, value: Uint8Array): number {
  return crc32(value, crc32(encodeKey(key)));
}

function blanksOf(checksum: number): number[] {
  return Array.from({ length: BLANK_COUNT }, (_, index) => BLANKS[checksum >>> 2 * index & 3]!);
}

function bytesOf(checksum: number): number[] {
  return Array.from({ length: CHECKSUM_BYTES }, (_, index) => checksum >>> 8 * index & 0xff);
}

const withTail = (value: Uint8Array, tail: readonly number[]): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(value.byteLength + tail.length);
  whole.set(value);
  whole.set(tail, value.byteLength);
  return whole;
};

/** Adds a checksum to JSON. The JSON must not end with whitespace. */
export function addTextChecksum(key: RecordKey, value: Uint8Array): Uint8Array<ArrayBuffer> {
  return withTail(value, blanksOf(checksumOf(key, value)));
}

/** Adds a checksum to a value in V8's format 15. */
export function addBytesChecksum(key: RecordKey, value: Uint8Array): Uint8Array<ArrayBuffer> {
  return withTail(value, [...MARK, ...bytesOf(checksumOf(key, value))]);
}

/** Whether a value has a checksum, and whether the checksum matches the value and its key. */
export type ChecksumState = "none" | "right" | "wrong";

const endsWith = (value: Uint8Array, tail: readonly number[]): boolean =>
  tail.every((byte, index) => value[value.byteLength - tail.length + index] === byte);

export function textChecksum(key: RecordKey, value: Uint8Array): ChecksumState {
  if (!BLANKS.includes(value.at(-1)!)) return "none";
  const text = value.subarray(0, -BLANK_COUNT);
  return endsWith(value, blanksOf(checksumOf(key, text))) ? "right" : "wrong";
}

export function bytesChecksum(key: RecordKey, value: Uint8Array): ChecksumState {
  const marked = value.subarray(0, -CHECKSUM_BYTES);
  if (!endsWith(marked, MARK)) return "none";
  const sum = checksumOf(key, marked.subarray(0, -MARK.length));
  return endsWith(value, bytesOf(sum)) ? "right" : "wrong";
}
