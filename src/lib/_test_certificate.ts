/** @module Self-signed certificates for tests and benchmarks, created with openssl. */
import { join } from "node:path";
import { inTestFolder } from "./_test_folder.ts";
import { runProgram } from "./spawn_program.ts";

/** PEM files. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * Writes a key and a certificate that is valid for 30 days. `hosts` are names such as
 * `DNS:shop.example`.
 */
export async function makeCertificate(
  folder: string,
  name: string,
  hosts: readonly string[] = [`DNS:${name}`],
): Promise<CertificateFiles> {
  const [certFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const { success, stderr } = await runProgram("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", keyFile, "-out", certFile, "-days", "30", "-subj", `/CN=${name}`],
      ...["-addext", `subjectAltName=${hosts.join(",")}`],
      ...["-addext", "basicConstraints=critical,CA:FALSE"],
    ],
  });
  if (!success) throw new Error(`Cannot create a certificate: ${new TextDecoder().decode(stderr)}`);
  return { certFile, keyFile };
}

/** Creates a certificate and its key, as PEM text. */
export async function makeKeyPair(name: string, hosts?: readonly string[]) {
  return await inTestFolder(async (folder) => {
    const { certFile, keyFile } = await makeCertificate(folder, name, hosts);
    return { cert: await Deno.readTextFile(certFile), key: await Deno.readTextFile(keyFile) };
  });
}
