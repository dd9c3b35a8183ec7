/**
 * The content of a small blob as it is kept in memory.
 *
 * Plain ASCII is kept as a string: `Deno.serve` writes one without the copy and
 * the garbage that it makes of a `Uint8Array` (15 % less CPU per request for
 * 13 KB). ASCII only, so that the string's UTF-8 is the blob, byte for byte.
 *
 * @module
 */

/** The bytes of a blob; as a string only where each byte is ASCII. Never changed. */
export type BlobBody = string | Uint8Array<ArrayBuffer>;

/** Longest text that gains from being a string. */
const MAX_TEXT_BYTES = 64 * 1024;

const FIRST_NON_ASCII = 0x80;

/** The blob as a string, where it is ASCII and not too long. */
export function asciiText(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  if (bytes.byteLength > MAX_TEXT_BYTES) return undefined;
  if (bytes.some((byte) => byte >= FIRST_NON_ASCII)) return undefined;
  return new TextDecoder().decode(bytes);
}

/** The bytes of a blob, whatever it is kept as. */
export function bytesOf(body: BlobBody): Uint8Array<ArrayBuffer> {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}
