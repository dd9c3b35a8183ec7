/** @module A stored verifier for SCRAM-SHA-256 (RFC 7677), which cannot be used to sign in. */
import { Buffer } from "node:buffer";
import { createHash, createHmac, pbkdf2Sync, timingSafeEqual } from "node:crypto";

/** PostgreSQL's default (`scram_iterations`). */
const ITERATIONS = 4096;
export const SALT_BYTES = 16;
const KEY_BYTES = 32;

export interface ScramVerifier {
  readonly iterations: number;
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly storedKey: Uint8Array<ArrayBuffer>;
  readonly serverKey: Uint8Array<ArrayBuffer>;
}

const FORM =
  /^SCRAM-SHA-256\$(\d{1,7}):([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]{44}):([A-Za-z0-9+/=]{44})$/;

export function hmac(key: Uint8Array, text: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHmac("sha256", key).update(text).digest());
}

export function sha256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash("sha256").update(bytes).digest());
}

/** Compares two keys in constant time. */
export function equalKeys(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}

/**
 * Computes the `SaltedPassword` from RFC 5802. Passwords are normalized with NFKC, which matches
 * SASLprep for most passwords.
 */
export function saltPassword(
  password: string,
  { salt, iterations }: Pick<ScramVerifier, "salt" | "iterations">,
): Uint8Array<ArrayBuffer> {
  const key = pbkdf2Sync(password.normalize("NFKC"), salt, iterations, KEY_BYTES, "sha256");
  return new Uint8Array(key);
}

/** @param salt 16 random bytes */
export function makeVerifier(
  password: string,
  salt: Uint8Array<ArrayBuffer>,
  iterations = ITERATIONS,
): ScramVerifier {
  const salted = saltPassword(password, { salt, iterations });
  const storedKey = sha256(hmac(salted, "Client Key"));
  return { iterations, salt, storedKey, serverKey: hmac(salted, "Server Key") };
}

/**
 * Returns a verifier for a role that doesn't exist. The verifier is always the same for a name,
 * because a changing salt would reveal that the role is missing. No password matches the verifier.
 *
 * @param key random bytes, constant while the gateway runs
 */
export function mockVerifier(role: string, key: Uint8Array): ScramVerifier {
  return {
    iterations: ITERATIONS,
    salt: hmac(key, `salt ${role}`).slice(0, SALT_BYTES),
    storedKey: hmac(key, `stored ${role}`),
    serverKey: hmac(key, `server ${role}`),
  };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, "base64"));

/** Returns the text form, as PostgreSQL stores it in `pg_authid` and accepts it as a password. */
export function formatVerifier(verifier: ScramVerifier): string {
  const { iterations, salt, storedKey, serverKey } = verifier;
  return `SCRAM-SHA-256$${iterations}:${base64(salt)}$${base64(storedKey)}:${base64(serverKey)}`;
}

/** Reads the text form. Returns `undefined` for any other text. */
export function parseVerifier(text: string): ScramVerifier | undefined {
  const [, iterations, salt, storedKey, serverKey] = FORM.exec(text) ?? [];
  if (iterations === undefined || Number(iterations) < 1) return undefined;
  return {
    iterations: Number(iterations),
    salt: fromBase64(salt!),
    storedKey: fromBase64(storedKey!),
    serverKey: fromBase64(serverKey!),
  };
}
