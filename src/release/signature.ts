/** @module Ed25519 signatures of the files that describe a release. */

/** Length of an Ed25519 public key, in bytes. */
const KEY_BYTES = 32;
/** Length of an Ed25519 signature, in bytes. */
export const SIGNATURE_BYTES = 64;

async function isSignedBy(
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const raw = Uint8Array.fromBase64(key);
  if (raw.byteLength !== KEY_BYTES) {
    throw new RangeError(`Pass Ed25519 public keys of ${KEY_BYTES} bytes, not ${raw.byteLength}`);
  }
  const imported = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
  return await crypto.subtle.verify("Ed25519", imported, signature, bytes);
}

/** Returns true if one of the public keys (base64) signed exactly these bytes. */
export async function isSigned(
  bytes: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  keys: readonly string[],
): Promise<boolean> {
  if (signature.byteLength !== SIGNATURE_BYTES) return false;
  for (const key of keys) {
    if (await isSignedBy(key, bytes, signature)) return true;
  }
  return false;
}

/** Signs bytes with a private key in PKCS #8 and PEM, the format that `openssl genpkey` writes. */
export async function sign(
  bytes: Uint8Array<ArrayBuffer>,
  privateKeyPem: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await readPrivateKey(privateKeyPem);
  return new Uint8Array(await crypto.subtle.sign("Ed25519", key, bytes));
}

/** Returns the public key for a private key in PEM, as base64. */
export async function publicKeyOf(privateKeyPem: string): Promise<string> {
  const { x = "" } = await crypto.subtle.exportKey("jwk", await readPrivateKey(privateKeyPem));
  return Uint8Array.fromBase64(x, { alphabet: "base64url" }).toBase64();
}

async function readPrivateKey(pem: string): Promise<CryptoKey> {
  const body = /-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----/.exec(pem)?.[1];
  if (body === undefined) {
    throw new TypeError(
      "The signing key must be a PKCS #8 PEM file, as created by `openssl genpkey`",
    );
  }
  const bytes = Uint8Array.fromBase64(body.replace(/\s/g, ""));
  return await crypto.subtle.importKey("pkcs8", bytes, "Ed25519", true, ["sign"]);
}
