/** The codes of the device flow. @module */
import { Buffer } from "node:buffer";
import type { Random } from "../../../lib/clock.ts";
import { sha256Hex } from "../../../lib/hash.ts";

/**
 * Consonants that are not easily mistaken for each other and that spell no words (RFC 8628, 6.1).
 */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";

/**
 * 8 of 20 letters: 34.5 bits. With 100 wrong codes a minute and 1,000 open authorizations, the
 * chance of a correct guess within a code's lifetime of 5 minutes is 1 in 50,000. Even a correct
 * guess only approves a CLI for the guesser's own account.
 */
const LENGTH = 8;

/** Creates a user code in its canonical form, without a hyphen. */
export function newUserCode(random: Random): string {
  const limit = 256 - (256 % ALPHABET.length);
  let code = "";
  while (code.length < LENGTH) {
    for (const byte of random(LENGTH)) {
      if (byte < limit && code.length < LENGTH) code += ALPHABET[byte % ALPHABET.length];
    }
  }
  return code;
}

/** Returns a user code in its displayed form: `WDJB-MJHT`. */
export function showUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** Returns a typed user code in canonical form. Case, hyphens and spaces do not matter. */
export function readUserCode(typed: string): string {
  return typed.slice(0, 64).toUpperCase().replace(/[^A-Z0-9]/g, "");
}

/** Creates a device code: 256 random bits. */
export function newDeviceCode(random: Random): string {
  return Buffer.from(random(32)).toString("base64url");
}

export function hashCode(kind: "device" | "user", code: string): string {
  return sha256Hex(`svc ${kind} code\n${code}`);
}
