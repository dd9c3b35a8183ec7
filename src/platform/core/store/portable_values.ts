/**
 * Values of the store in a form that every runtime can read.
 *
 * Deno KV writes values in the format of its V8, and an older V8 cannot read
 * what a newer one wrote. Bytes are stored as they are: so records are stored
 * as JSON, and values that JSON cannot represent in format 15 of V8, which
 * `node:v8` writes on all runtimes (docs/decisions/portable-values.md).
 *
 * @module
 */
import { deserialize, serialize } from "node:v8";

/** First byte of every encoded value; the second one names the encoding. */
const HEAD = 0xff;
const JSON_TEXT = 0x4a;
const V8_FORMAT_15 = 0x0f;

/** Longest value that Deno KV stores, in bytes; JSON of other scripts takes more than format 15. */
const MAX_BYTES = 65_536;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const isEncoded = (bytes: Uint8Array): boolean =>
  bytes[0] === HEAD && (bytes[1] === JSON_TEXT || bytes[1] === V8_FORMAT_15);

/** Whether the value survives a round trip through JSON. */
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
 * The value in the form that Deno KV stores. Counters stay as they are, because
 * the store itself adds to them, and so do bytes that do not look like an
 * encoded value.
 *
 * @throws {TypeError} for a value that cannot be stored, such as a function.
 */
export function encodeValue(value: unknown): unknown {
  if (value instanceof Deno.KvU64) return value;
  if (value instanceof Uint8Array && !isEncoded(value)) return value;
  const json = isJson(value) ? encodeJson(value) : undefined;
  return json !== undefined && json.byteLength <= MAX_BYTES ? json : encodeV8(value);
}

/** A value that was stored natively, as bytes; bytes and counters stay as they are. */
export function encodePortable(value: unknown): Uint8Array<ArrayBuffer> | Deno.KvU64 {
  return encodeValue(value) as Uint8Array<ArrayBuffer> | Deno.KvU64;
}

/**
 * Decodes what `encodeValue()` returned; a value that was stored without it is
 * returned as it is.
 */
export function decodeValue(stored: unknown): unknown {
  if (!(stored instanceof Uint8Array) || !isEncoded(stored)) return stored;
  if (stored[1] === JSON_TEXT) return JSON.parse(decoder.decode(stored.subarray(2)));
  return deserialize(stored);
}
