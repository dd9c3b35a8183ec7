/**
 * The content of a message: bytes, a stream, or a string in place of bytes.
 *
 * A small body of plain ASCII is kept as a string: `Deno.serve` writes one without
 * the copy, and the garbage, that it makes of a `Uint8Array` (15 % less CPU per
 * request for 13 KB). Only ASCII, so that the string's UTF-8 is the body, byte for
 * byte.
 *
 * @module
 */

export type Bytes = Uint8Array<ArrayBuffer>;
export type BodyStream = ReadableStream<Bytes>;

/** A body in memory; a string only where each byte is ASCII. Never changed. */
export type MemoryBody = string | Bytes;

/** Largest body that gains from being a string. */
const MAX_TEXT_BYTES = 64 * 1024;

const FIRST_NON_ASCII = 0x80;

/** The bytes as a string, where they are ASCII and not too many. */
export function asciiText(bytes: Bytes): string | undefined {
  if (bytes.byteLength > MAX_TEXT_BYTES) return undefined;
  if (bytes.some((byte) => byte >= FIRST_NON_ASCII)) return undefined;
  return new TextDecoder().decode(bytes);
}

/** The bytes of a body in memory. */
export function bytesOf(body: MemoryBody): Bytes {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

/** Whether a body arrives in parts. */
export function isStream(body: Bytes | BodyStream | null): body is BodyStream {
  return body instanceof ReadableStream;
}

/** Cancels a body that nobody reads, so that its origin can stop sending. */
export function discardBody(body: MemoryBody | BodyStream | null): void {
  if (body instanceof ReadableStream) body.cancel().catch(() => {});
}

const DIGITS = /^\d{1,15}$/;

/** Length of a body in bytes, as far as it is known; `field` is its `Content-Length`. */
export function bodyLength(
  body: MemoryBody | BodyStream | null,
  field: string | undefined,
): number | undefined {
  if (body === null) return 0;
  // The string is ASCII: one byte for each character.
  if (typeof body === "string") return body.length;
  if (body instanceof Uint8Array) return body.byteLength;
  return field !== undefined && DIGITS.test(field) ? Number(field) : undefined;
}
