/** @module Identifiers: time-ordered UUIDs for records, and short IDs for hostnames. */
import type { Clock, Random } from "./clock.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns true for a UUID in its canonical lowercase form (RFC 9562). */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * Creates a version 7 UUID (RFC 9562, 5.7): 48 bits of milliseconds, then 74 random bits, so
 * records sort by creation time.
 */
export function uuidV7(now: Clock, random: Random): string {
  const bytes = random(16);
  let time = now();
  for (let index = 5; index >= 0; index--) {
    bytes[index] = time % 256;
    time = Math.floor(time / 256);
  }
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toHex();
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}

/**
 * Digits and consonants. Vowels are omitted so that IDs spell no words, as are characters that look
 * like 0 or 1.
 */
const SHORT_ALPHABET = "23456789bcdfghjkmnpqrstvwxz";

/** Creates a random ID of `length` characters (4.75 bits each) for hostnames. */
export function shortId(random: Random, length = 8): string {
  const limit = 256 - (256 % SHORT_ALPHABET.length);
  let text = "";
  while (text.length < length) {
    for (const byte of random(length)) {
      if (byte < limit && text.length < length) {
        text += SHORT_ALPHABET[byte % SHORT_ALPHABET.length];
      }
    }
  }
  return text;
}
