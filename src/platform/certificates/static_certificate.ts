/**
 * The operator's own certificate, in two PEM files.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { describeFileFault, isFileFault } from "../../lib/file_fault.ts";
import { readTextFile } from "../../lib/utf8.ts";
import type { KeyPair } from "./certificate.ts";

export interface CertificateFiles {
  /** Path of the certificate, with its chain. */
  readonly certFile: string;
  /** Path of the private key. */
  readonly keyFile: string;
}

/** The given certificate cannot be used. */
export class CertificateFileError extends Error {
  override readonly name = "CertificateFileError";
}

async function readText(path: string, what: string): Promise<string> {
  try {
    return await readTextFile(path);
  } catch (cause) {
    const reason = isFileFault(cause) ? describeFileFault(cause) : (cause as Error).message;
    throw new CertificateFileError(`Cannot read the ${what} ${path}: ${reason}`, { cause });
  }
}

function parsePart<T>(what: string, path: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new CertificateFileError(`Cannot use ${path}: it must hold a ${what} as PEM`, { cause });
  }
}

/** The first block of a PEM file, which is the server's own certificate (RFC 8446, 4.4.2). */
const FIRST_CERTIFICATE = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/;

/**
 * Whether a certificate belongs to the key: whether its bytes contain the
 * public half. Deno 2.6 has no `checkPrivateKey`, and cannot read the public
 * key of an Ed25519 certificate.
 */
function isKeyOf(certificate: string, privateKey: KeyObject): boolean {
  const der = Buffer.from(FIRST_CERTIFICATE.exec(certificate)?.[1] ?? "", "base64");
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  return der.includes(publicKey);
}

/**
 * Reads certificate and key, and checks that they belong together and are still
 * valid.
 *
 * @throws {CertificateFileError} where they cannot be used.
 */
export async function readCertificateFiles(
  { certFile, keyFile }: CertificateFiles,
  now: number,
): Promise<KeyPair> {
  const [cert, key] = [
    await readText(certFile, "certificate"),
    await readText(keyFile, "private key"),
  ];
  const parsed = parsePart("certificate", certFile, () => new X509Certificate(cert));
  const privateKey = parsePart("private key", keyFile, () => createPrivateKey(key));
  if (!isKeyOf(cert, privateKey)) {
    throw new CertificateFileError(`Cannot use ${keyFile}: it is not the key of ${certFile}`);
  }
  if (Date.parse(parsed.validTo) <= now) {
    throw new CertificateFileError(`Cannot use ${certFile}: it ended on ${parsed.validTo}`);
  }
  return { cert, key };
}
