/**
 * Encryption of secrets at rest: AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce. A sealed
 * secret contains the ID of the key, and is bound to its position in the store: it cannot be
 * decrypted at any other position.
 *
 * @module
 */
import * as z from "zod";
import type { Random } from "../../../lib/clock.ts";
import type { KeyRing } from "./key_ring.ts";

const NONCE_BYTES = 12;

/** Bytes as Deno KV returns them, in their own buffer. */
const bytes = z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array);

export const sealedSecret = z.object({ keyId: z.string(), nonce: bytes, data: bytes });
export type SealedSecret = z.infer<typeof sealedSecret>;

/**
 * Thrown if a sealed secret cannot be decrypted, because its key, its position or its bytes have
 * changed.
 */
export class SecretDamagedError extends Error {
  override readonly name = "SecretDamagedError";
}

export class SecretBox {
  readonly #ring: KeyRing;
  readonly #random: Random;

  constructor(ring: KeyRing, random: Random) {
    this.#ring = ring;
    this.#random = random;
  }

  isCurrent(sealed: SealedSecret): boolean {
    return sealed.keyId === this.#ring.current.id;
  }

  /**
   * Derives an AES-256-GCM key for a purpose.
   *
   * @throws {SecretDamagedError} if `keyId` is missing.
   */
  async deriveKey(
    { purpose, salt, keyId = this.#ring.current.id }: {
      readonly purpose: string;
      readonly salt: Uint8Array<ArrayBuffer>;
      readonly keyId?: string;
    },
  ): Promise<{ readonly keyId: string; readonly key: CryptoKey }> {
    const found = this.#ring.find(keyId);
    if (found === undefined) throw new SecretDamagedError(`Key ${keyId} is missing`);
    const key = await crypto.subtle.deriveKey(
      { name: "HKDF", hash: "SHA-256", salt, info: new TextEncoder().encode(purpose) },
      found.base,
      { name: "AES-GCM", length: 256 },
      false,
      ["encrypt", "decrypt"],
    );
    return { keyId, key };
  }

  /** Derives 32 bytes for one purpose from the current key. */
  async deriveBytes(purpose: string): Promise<Uint8Array> {
    const info = new TextEncoder().encode(purpose);
    const salt = new Uint8Array();
    const { base } = this.#ring.current;
    // Derives an HMAC key and exports it, because `base` can only derive keys, and an AES key
    // cannot be exported.
    const key = await crypto.subtle.deriveKey(
      { name: "HKDF", hash: "SHA-256", salt, info },
      base,
      { name: "HMAC", hash: "SHA-256", length: 256 },
      true,
      ["sign"],
    );
    return new Uint8Array(await crypto.subtle.exportKey("raw", key));
  }

  /**
   * Encrypts a string for its position in the store, such as `variable/<project>/<key>/<scope>`.
   */
  async seal(text: string, place: string): Promise<SealedSecret> {
    const { id, key } = this.#ring.current;
    const nonce = this.#random(NONCE_BYTES);
    const data = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv: nonce, additionalData: new TextEncoder().encode(place) },
      key,
      new TextEncoder().encode(text),
    );
    return { keyId: id, nonce, data: new Uint8Array(data) };
  }

  /**
   * Returns the secret sealed with the current key, or the same object if it is already sealed with
   * that key.
   */
  async renew(sealed: SealedSecret, place: string): Promise<SealedSecret> {
    return this.isCurrent(sealed) ? sealed : await this.seal(await this.open(sealed, place), place);
  }

  /** @throws {SecretDamagedError} if the secret cannot be decrypted. */
  async open(sealed: SealedSecret, place: string): Promise<string> {
    const found = this.#ring.find(sealed.keyId);
    if (found === undefined) {
      throw new SecretDamagedError(`Cannot decrypt ${place}: its key ${sealed.keyId} is missing`);
    }
    try {
      const additionalData = new TextEncoder().encode(place);
      const iv = sealed.nonce;
      const text = await crypto.subtle.decrypt(
        { name: "AES-GCM", iv, additionalData },
        found.key,
        sealed.data,
      );
      return new TextDecoder().decode(text);
    } catch (cause) {
      throw new SecretDamagedError(`Cannot decrypt ${place}: it was changed`, { cause });
    }
  }
}
