/**
 * The store's values in a format that every runtime can read.
 *
 * Deno KV writes values in the format of its V8 version, and an older version cannot read what a
 * newer one wrote. However, Deno KV stores bytes unchanged. Therefore, values are encoded as bytes:
 * records as JSON, and other values in V8's format 15, which `node:v8` writes on all runtimes
 * (docs/decisions/store.md).
 *
 * @module
 */
import { deserialize, serialize } from "node:v8";
import {
  addBytesChecksum,
  addTextChecksum,
  bytesChecksum,
  type ChecksumState,
  textChecksum,
} from "./value_checksum.ts";
import type { RecordKey } from "../../../store/mod.ts";

/** First byte of every encoded value. The second byte identifies the encoding. */
const HEAD = 0xff;
const JSON_TEXT = 0x4a;
const V8_FORMAT_15 = 0x0f;

/**
 * Maximum size of a value in Deno KV, in bytes. In JSON, non-Latin text takes more space than in
 * format 15.
 */
const MAX_BYTES = 65_536;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const isEncoded = (bytes: Uint8Array): boolean =>
  bytes[0] === HEAD && (bytes[1] === JSON_TEXT || bytes[1] === V8_FORMAT_15);

/** Returns whether a value survives a round trip through JSON. */
function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isJson(item)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype || "toJSON" in value) return false;
  for (const name in value) {
    if (!isJson((value as Record<string, unknown>)[name])) return false;
  }
  return true;
}

function encodeJson(value: unknown): Uint8Array {
  const bytes = encoder.encode(`  ${JSON.stringify(value)}`);
  bytes[0] = HEAD;
  bytes[1] = JSON_TEXT;
  return bytes;
}

function encodeV8(value: unknown): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = serialize(value);
  } catch (cause) {
    throw new TypeError("Cannot store the value: it contains something that is not data", {
      cause,
    });
  }
  if (isEncoded(bytes)) return bytes;
  throw new TypeError(`Cannot store the value: this runtime writes format ${bytes[1]}, not 15`);
}

/**
 * Encodes a value for storage under a key, with a checksum if there is space. Counters are
 * unchanged, because the store itself adds to them. Bytes that do not look like an encoded value
 * are also left unchanged.
 *
 * @throws {TypeError} for a value that cannot be stored, such as a function.
 */
export function encodeValue(key: RecordKey, value: unknown): unknown {
  const plain = encodePortable(value);
  if (!(plain instanceof Uint8Array) || !isEncoded(plain)) return plain;
  const add = plain[1] === JSON_TEXT ? addTextChecksum : addBytesChecksum;
  const checked = add(key, plain);
  return checked.byteLength <= MAX_BYTES ? checked : plain;
}

/** Encodes a value as bytes, without a checksum. Bytes and counters are unchanged. */
export function encodePortable(value: unknown): Uint8Array<ArrayBuffer> | Deno.KvU64 {
  if (value instanceof Deno.KvU64) return value;
  if (value instanceof Uint8Array && !isEncoded(value)) return value as Uint8Array<ArrayBuffer>;
  const json = isJson(value) ? encodeJson(value) : undefined;
  const isShort = json !== undefined && json.byteLength <= MAX_BYTES;
  return (isShort ? json : encodeV8(value)) as Uint8Array<ArrayBuffer>;
}

/** Thrown if a value differs from the one that was stored under its key. */
export class ValueDamagedError extends Error {
  override readonly name = "ValueDamagedError";
}

/** Returns whether a stored value has a checksum, and whether the checksum is correct. */
export function checksumOf(key: RecordKey, stored: unknown): ChecksumState {
  if (!(stored instanceof Uint8Array) || !isEncoded(stored)) return "none";
  return stored[1] === JSON_TEXT ? textChecksum(key, stored) : bytesChecksum(key, stored);
}

/**
 * Decodes a result of `encodeValue()`, or returns an older value unchanged. @throws
 * {ValueDamagedError}
 */
export function decodeValue(key: RecordKey, stored: unknown): unknown {
  if (!(stored instanceof Uint8Array) || !isEncoded(stored)) return stored;
  if (checksumOf(key, stored) === "wrong") {
    throw new ValueDamagedError("Its checksum differs: it was changed on disk");
  }
  try {
    if (stored[1] === JSON_TEXT) return JSON.parse(decoder.decode(stored.subarray(2)));
    return deserialize(stored);
  } catch (cause) {
    throw new ValueDamagedError("It cannot be decoded: it was changed on disk", { cause });
  }
}
