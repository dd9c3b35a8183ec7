/**
 * Encodes keys as bytes in the same way as Deno KV, which uses FoundationDB's tuple encoding. The
 * bytes sort like the keys, so a table that is indexed by these bytes is in key order. Pure.
 *
 * @module
 */

import type { KeyPart, RecordKey } from "./record_types.ts";

/** First bytes of key parts, in the types' sort order. */
const TAG = {
  bytes: 0x01,
  string: 0x02,
  /** The tag of the integer zero. Tags below 0x0c are for negative integers longer than 8 bytes. */
  integerZero: 0x14,
  double: 0x21,
  false: 0x26,
  true: 0x27,
} as const;

/** The byte after a string or byte array. If the value contains this byte, `ESCAPED` follows it. */
const END = 0x00;
const ESCAPED = 0xff;

/**
 * The length of an integer of up to 8 bytes is in the tag. The length of a longer one is in the
 * next byte.
 */
const SHORT_BYTES = 8;
const LONGEST_BYTES = 255;

const NEGATIVE_ZEROS = 1n << 63n;
const ALL_BITS = (1n << 64n) - 1n;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Encodes a key. @throws {TypeError} if a part has a type that keys do not support. */
export function encodeKey(key: RecordKey): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (const part of key) writePart(bytes, part);
  return Uint8Array.from(bytes);
}

function writePart(to: number[], part: unknown): void {
  if (typeof part === "string") writeEscaped(to, TAG.string, encoder.encode(part));
  else if (part instanceof Uint8Array) writeEscaped(to, TAG.bytes, part);
  else if (typeof part === "number") writeDouble(to, part);
  else if (typeof part === "bigint") writeInteger(to, part);
  else if (typeof part === "boolean") to.push(part ? TAG.true : TAG.false);
  else {
    throw new TypeError(
      "Cannot encode the key: its parts must be strings, numbers, bigints, booleans or " +
        `Uint8Arrays, and one is of type ${typeof part}`,
    );
  }
}

function writeEscaped(to: number[], tag: number, bytes: Uint8Array): void {
  to.push(tag);
  for (const byte of bytes) {
    to.push(byte);
    if (byte === END) to.push(ESCAPED);
  }
  to.push(END);
}

/**
 * Encodes a number as big-endian IEEE 754 with the sign bit flipped, or with all bits flipped if
 * the number is negative.
 */
function writeDouble(to: number[], value: number): void {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  view.setBigUint64(0, bits & NEGATIVE_ZEROS ? bits ^ ALL_BITS : bits | NEGATIVE_ZEROS);
  to.push(TAG.double, ...new Uint8Array(view.buffer));
}

/**
 * Encodes an integer in as few bytes as possible. The tag is the tag of zero plus the number of
 * bytes, or minus that number if the integer is negative.
 */
function writeInteger(to: number[], value: bigint): void {
  const bytes = magnitude(value < 0n ? -value : value);
  if (bytes.length > LONGEST_BYTES) {
    throw new TypeError(
      `Cannot encode the key: an integer in it is longer than ${LONGEST_BYTES} bytes`,
    );
  }
  const sign = value < 0n ? -1 : 1;
  to.push(TAG.integerZero + sign * Math.min(bytes.length, SHORT_BYTES + 1));
  const flip = value < 0n ? 0xff : 0;
  if (bytes.length > SHORT_BYTES) to.push(bytes.length ^ flip);
  for (const byte of bytes) to.push(byte ^ flip);
}

function magnitude(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array();
  const hex = value.toString(16);
  return Uint8Array.fromHex(hex.length % 2 === 0 ? hex : `0${hex}`);
}

/** Decodes a key encoded by `encodeKey()`. @throws {RangeError} for other bytes. */
export function decodeKey(bytes: Uint8Array): KeyPart[] {
  const reader = new KeyReader(bytes);
  const parts: KeyPart[] = [];
  while (!reader.atEnd) parts.push(reader.part());
  return parts;
}

class KeyReader {
  #at = 0;

  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  part(): KeyPart {
    const tag = this.#take(1)[0]!;
    if (tag === TAG.string) return decoder.decode(this.#escaped());
    if (tag === TAG.bytes) return this.#escaped();
    if (tag === TAG.double) return this.#double();
    if (tag === TAG.false || tag === TAG.true) return tag === TAG.true;
    const length = tag - TAG.integerZero;
    if (Math.abs(length) <= SHORT_BYTES + 1) return this.#integer(length);
    throw new RangeError(`Cannot decode a key: no part of a key begins with ${tag}`);
  }

  #take(count: number): Uint8Array {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new RangeError("Cannot decode a key: it is truncated");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  #escaped(): Uint8Array<ArrayBuffer> {
    const found: number[] = [];
    for (;;) {
      const byte = this.#take(1)[0]!;
      if (byte === END) {
        if (this.#bytes[this.#at] !== ESCAPED) return Uint8Array.from(found);
        this.#at++;
      }
      found.push(byte);
    }
  }

  #double(): number {
    const view = new DataView(Uint8Array.from(this.#take(8)).buffer);
    const bits = view.getBigUint64(0);
    view.setBigUint64(0, bits & NEGATIVE_ZEROS ? bits ^ NEGATIVE_ZEROS : bits ^ ALL_BITS);
    return view.getFloat64(0);
  }

  #integer(signedLength: number): bigint {
    if (signedLength === 0) return 0n;
    const flip = signedLength < 0 ? 0xff : 0;
    const short = Math.abs(signedLength);
    const length = short > SHORT_BYTES ? this.#take(1)[0]! ^ flip : short;
    const hex = Uint8Array.from(this.#take(length), (byte) => byte ^ flip).toHex();
    const value = BigInt(`0x${hex}`);
    return signedLength < 0 ? -value : value;
  }
}
