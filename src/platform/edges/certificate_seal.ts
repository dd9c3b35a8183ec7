/**
 * Seals a certificate and its private key for one process of a front edge: X25519, HKDF and
 * AES-256-GCM, with a new key for each message. Neither reading the connection nor having the
 * edge's key is enough to decrypt data for another process.
 *
 * @module
 */
import * as z from "zod";
import type { KeyPair } from "../certificates/mod.ts";

const INFO = new TextEncoder().encode("svc certificate for a front edge");
/** Each key seals only one message, so the nonce never repeats. */
const NONCE = new Uint8Array(12);

const keyPair = z.object({ cert: z.string(), key: z.string() });

export const sealedCertificate = z.object({ from: z.base64(), sealed: z.base64() });
type SealedCertificate = z.infer<typeof sealedCertificate>;

type Bytes = Uint8Array<ArrayBuffer>;

const createPair = async () =>
  await crypto.subtle.generateKey("X25519", false, ["deriveBits"]) as CryptoKeyPair;

const publicBytes = async ({ publicKey }: CryptoKeyPair): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));

async function cipherKey(
  { privateKey }: CryptoKeyPair,
  { from, to, other }: { readonly from: Bytes; readonly to: Bytes; readonly other: Bytes },
): Promise<CryptoKey> {
  const { subtle } = crypto;
  const publicKey = await subtle.importKey("raw", other, "X25519", false, []);
  const shared = await subtle.deriveBits({ name: "X25519", public: publicKey }, privateKey, 256);
  const salt = new Uint8Array([...from, ...to]);
  return await subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt, info: INFO },
    await subtle.importKey("raw", shared, "HKDF", false, ["deriveKey"]),
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

const cipherOf = (hostname: string) => ({
  name: "AES-GCM",
  iv: NONCE,
  additionalData: new TextEncoder().encode(hostname),
});

/** Seals a host's certificate for a public key. */
export async function sealCertificate(
  { cert, key }: KeyPair,
  { hostname, to }: { readonly hostname: string; readonly to: Bytes },
): Promise<SealedCertificate> {
  const own = await createPair();
  const from = await publicBytes(own);
  const cipher = await cipherKey(own, { from, to, other: to });
  const content = new TextEncoder().encode(JSON.stringify({ cert, key }));
  const sealed = await crypto.subtle.encrypt(cipherOf(hostname), cipher, content);
  return { from: from.toBase64(), sealed: new Uint8Array(sealed).toBase64() };
}

/** Decrypts data for one process. */
export class SealKey {
  readonly #pair: CryptoKeyPair;

  private constructor(pair: CryptoKeyPair, readonly publicKey: Bytes) {
    this.#pair = pair;
  }

  static async create(): Promise<SealKey> {
    const pair = await createPair();
    return new SealKey(pair, await publicBytes(pair));
  }

  /** @throws {DOMException} if the data was sealed for a different key or host, or was changed. */
  async open({ from, sealed }: SealedCertificate, hostname: string): Promise<KeyPair> {
    const sender = Uint8Array.fromBase64(from);
    const cipher = await cipherKey(this.#pair, {
      from: sender,
      to: this.publicKey,
      other: sender,
    });
    const content = await crypto.subtle.decrypt(
      cipherOf(hostname),
      cipher,
      Uint8Array.fromBase64(sealed),
    );
    return keyPair.parse(JSON.parse(new TextDecoder().decode(content)));
  }
}
