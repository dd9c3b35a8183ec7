/** @module SHA-256 of bytes and streams, and comparison in constant time. */
import { createHash, timingSafeEqual } from "node:crypto";
import { nextTurn } from "./next_turn.ts";

const SHA256_HEX = /^[0-9a-f]{64}$/;

/** Returns true for a string of 64 lowercase hexadecimal digits. */
export function isSha256(text: string): boolean {
  return SHA256_HEX.test(text);
}

/** Returns the SHA-256 of bytes or of a string's UTF-8 encoding, in lowercase hexadecimal. */
export function sha256Hex(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Length of a SHA-256 block, in bytes. */
const BLOCK_BYTES = 64;

function padded(key: Uint8Array, pad: number): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES).fill(pad);
  for (let at = 0; at < key.byteLength; at++) block[at]! ^= key[at]!;
  return block;
}

/**
 * Returns the HMAC-SHA-256 of a string (RFC 2104). It is fast enough to sign every request, while
 * the runtime's `createHmac()` takes many times as long as the two hashes computed here.
 */
export function hmacSha256(key: Uint8Array, text: string): Uint8Array<ArrayBuffer> {
  const short = key.byteLength > BLOCK_BYTES ? createHash("sha256").update(key).digest() : key;
  const inner = createHash("sha256").update(padded(short, 0x36)).update(text).digest();
  return new Uint8Array(createHash("sha256").update(padded(short, 0x5c)).update(inner).digest());
}

/** Number of bytes that are hashed in one turn, which takes about a millisecond. */
const BYTES_PER_TURN = 1024 * 1024;

/**
 * Returns the SHA-256 of bytes, like `sha256Hex()`. Large data is hashed over several turns of the
 * event loop.
 */
export async function sha256InTurns(data: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (let start = 0; start < data.byteLength; start += BYTES_PER_TURN) {
    if (start > 0) await nextTurn();
    hash.update(data.subarray(start, start + BYTES_PER_TURN));
  }
  return hash.digest("hex");
}

/** Hashes a stream without buffering it. Returns the digest and the length in bytes. */
export async function sha256Stream(
  stream: ReadableStream<Uint8Array>,
): Promise<{ readonly sha256: string; readonly size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    size += chunk.byteLength;
  }
  return { sha256: hash.digest("hex"), size };
}

/** Compares two strings in time that depends only on their lengths. */
export function equalInConstantTime(left: string, right: string): boolean {
  const encoder = new TextEncoder();
  const [a, b] = [encoder.encode(left), encoder.encode(right)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
