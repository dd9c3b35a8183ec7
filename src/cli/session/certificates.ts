import { X509Certificate } from "node:crypto";
import { describeFileFault, isFileFault } from "../../lib/file_fault.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { CliError } from "../errors/cli_error.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Extracts the certificates from PEM text.
 *
 * @throws {CliError} if there are none, or a certificate cannot be parsed.
 */
export function parseCertificates(text: string, path: string): readonly string[] {
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) {
    throw new CliError("usage", `Cannot use ${path}: it must contain PEM certificates`);
  }
  for (const [index, pem] of certificates.entries()) {
    try {
      new X509Certificate(pem);
    } catch (cause) {
      const message = `Cannot use ${path}: its certificate ${index + 1} cannot be read`;
      throw new CliError("usage", message, { cause });
    }
  }
  return certificates;
}

/**
 * Reads the certificates in a PEM file.
 *
 * @throws {CliError} if the file cannot be read or used.
 */
export async function readCertificates(path: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readTextFile(path);
  } catch (cause) {
    const reason = isFileFault(cause) ? describeFileFault(cause) : (cause as Error).message;
    throw new CliError("usage", `Cannot read the certificates in ${path}: ${reason}`, { cause });
  }
  return parseCertificates(text, path);
}
