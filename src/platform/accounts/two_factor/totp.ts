/**
 * Time-based one-time passwords (RFC 6238 over HOTP, RFC 4226): SHA-1, six digits and 30-second
 * steps, which every authenticator app supports.
 *
 * @module
 */
import { createHmac } from "node:crypto";
import type { Random } from "../../../lib/clock.ts";
import { equalInConstantTime } from "../../../lib/hash.ts";

const STEP_MS = 30_000;
const DIGITS = 6;
/** RFC 4226, 4 (R6): 160 bits. */
const SECRET_BYTES = 20;
/** Number of steps before and after the current one whose codes are accepted (RFC 6238, 5.2). */
const TOLERANCE = 1;

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Encodes bytes as base32 (RFC 4648, 6) without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let [buffer, bits] = [0, 0];
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(buffer >> bits) & 31];
    }
  }
  return bits === 0 ? text : text + BASE32[(buffer << (5 - bits)) & 31];
}

/** @throws {SyntaxError} if the text is not base32. */
export function fromBase32(text: string): Uint8Array {
  const bytes: number[] = [];
  let [buffer, bits] = [0, 0];
  for (const character of text) {
    const value = BASE32.indexOf(character);
    if (value < 0) {
      throw new SyntaxError("Cannot read base32: it has a character outside A-Z and 2-7");
    }
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((buffer >> bits) & 255);
    }
  }
  return Uint8Array.from(bytes);
}

export function newTotpSecret(random: Random): string {
  return toBase32(random(SECRET_BYTES));
}

export function totpStep(now: number): number {
  return Math.floor(now / STEP_MS);
}

/** Returns the code for a step (RFC 4226, 5.3). */
export function totpCode(secret: string, step: number): string {
  const counter = new Uint8Array(8);
  new DataView(counter.buffer).setBigUint64(0, BigInt(step));
  const mac = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const offset = mac[mac.length - 1]! & 15;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, "0");
}

/** Finds a code's step near the current step. Ignores steps up to `lastStep` (RFC 6238, 5.2). */
export function findTotpStep(
  code: string,
  options: { readonly secret: string; readonly now: number; readonly lastStep: number },
): number | undefined {
  const present = totpStep(options.now);
  let found: number | undefined;
  for (let step = present - TOLERANCE; step <= present + TOLERANCE; step++) {
    const matches = equalInConstantTime(totpCode(options.secret, step), code);
    if (matches && step > options.lastStep) found ??= step;
  }
  return found;
}

/** Returns the URI that authenticator apps read from a QR code (Key URI Format). */
export function otpauthUri(secret: string, options: {
  readonly issuer: string;
  readonly account: string;
}): string {
  const label = `${encodeURIComponent(options.issuer)}:${encodeURIComponent(options.account)}`;
  const issuer = encodeURIComponent(options.issuer);
  return `otpauth://totp/${label}?secret=${secret}&issuer=${issuer}` +
    `&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}
