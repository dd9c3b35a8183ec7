/**
 * The operator's own certificate, in two PEM files.
 *
 * @module
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { describeFileFault, isFileFault } from "../../lib/file_fault.ts";
import { readTextFile } from "../../lib/utf8.ts";
import type { KeyPair } from "./certificate.ts";

export interface CertificateFiles {
  /** Path of the certificate and its chain. */
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
    throw new CertificateFileError(`Cannot use ${path}: it must contain a PEM ${what}`, { cause });
  }
}

/**
 * Reads the certificate and key, and checks that they match and that the certificate is still
 * valid.
 *
 * @throws {CertificateFileError} if the files cannot be used.
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
  if (!parsed.checkPrivateKey(privateKey)) {
    throw new CertificateFileError(`Cannot use ${keyFile}: it is not the key for ${certFile}`);
  }
  if (Date.parse(parsed.validTo) <= now) {
    throw new CertificateFileError(`Cannot use ${certFile}: it expired on ${parsed.validTo}`);
  }
  return { cert, key };
}
