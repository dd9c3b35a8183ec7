/**
 * New signing keys.
 *
 * @module
 */
import { publicKeyOf } from "../../src/release/mod.ts";

/**
 * Creates a signing key in a new file that only its owner can read. Returns its public half in the
 * format of `src/release/trusted_keys.ts`.
 *
 * @throws {Deno.errors.AlreadyExists} if the file exists, because no key is overwritten.
 */
export async function makeSigningKey(path: string): Promise<string> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const { privateKey } = pair as CryptoKeyPair;
  const bytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
  const pem = `-----BEGIN PRIVATE KEY-----\n${bytes.toBase64()}\n-----END PRIVATE KEY-----\n`;
  await Deno.writeTextFile(path, pem, { createNew: true, mode: 0o600 });
  return await publicKeyOf(pem);
}
