/**
 * @module The content of a message: bytes, a stream, or a string instead of bytes.
 *
 * A small body of plain ASCII is kept only as a string. `Deno.serve` writes a string without the
 * copy and the garbage that a `Uint8Array` would cause (15% less CPU per request for 13 KB). The
 * UTF-8 encoding of an ASCII string is exactly the body.
 */
import { isAscii } from "node:buffer";
import { getHeapStatistics } from "node:v8";

export type Bytes = Uint8Array<ArrayBuffer>;
export type BodyStream = ReadableStream<Bytes>;

/** A body in memory, which is never modified. It is a string only if every byte is ASCII. */
export type MemoryBody = string | Bytes;

/** Maximum size of a body that benefits from being a string, in bytes. */
const MAX_TEXT_BYTES = 64 * 1024;

/**
 * Default limit for the total size of strings in one cache, which is an eighth of V8's heap. The
 * strings are in the heap, which can be far smaller than the machine's memory.
 */
export const MAX_CACHED_TEXT_BYTES = Math.floor(getHeapStatistics().heap_size_limit / 8);

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Whether a body benefits from being a string and can be one: it is short and ASCII. */
function isText(body: MemoryBody): boolean {
  return body.length <= MAX_TEXT_BYTES && (typeof body === "string" || isAscii(body));
}

/**
 * Converts a body to the form in which it is stored. The result is a string if the body is short
 * ASCII text and `mayBeText` allows this. Otherwise, the result is bytes in a separate buffer, not
 * in part of a larger one.
 */
export function toMemoryBody(body: MemoryBody, { mayBeText = true } = {}): MemoryBody {
  if (typeof body === "string" && mayBeText) return body;
  const bytes = bytesOf(body);
  if (mayBeText && isText(bytes)) return decoder.decode(bytes);
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

export function bytesOf(body: MemoryBody): Bytes {
  return typeof body === "string" ? encoder.encode(body) : body;
}

/** Whether a body is a stream, whose bytes arrive in parts. */
export function isStream(body: MemoryBody | BodyStream | null): body is BodyStream {
  return body instanceof ReadableStream;
}

/** Cancels an unread body, so its origin can stop sending. */
export function discardBody(body: MemoryBody | BodyStream | null): void {
  if (body instanceof ReadableStream) body.cancel().catch(() => {});
}

const DIGITS = /^\d{1,15}$/;

/**
 * Returns the length of a body in bytes, if it is known. `field` is the value of `Content-Length`.
 */
export function bodyLength(
  body: MemoryBody | BodyStream | null,
  field: string | undefined,
): number | undefined {
  if (body === null) return 0;
  // A string is ASCII, which has one byte for each character.
  if (typeof body === "string" || body instanceof Uint8Array) return body.length;
  return field !== undefined && DIGITS.test(field) ? Number(field) : undefined;
}
