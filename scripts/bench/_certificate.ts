/**
 * A certificate of the benches' own, signed by itself, made with openssl.
 *
 * @module
 */
import { join } from "node:path";
import { hear } from "../_process.ts";

/** PEM files. */
export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Makes a certificate for the loopback names in `folder`. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const certFile = join(folder, "bench.crt");
  const keyFile = join(folder, "bench.key");
  const names = "subjectAltName=DNS:localhost,DNS:bench.localhost,IP:127.0.0.1";
  const made = await hear([
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    keyFile,
    "-out",
    certFile,
    "-days",
    "2",
    "-subj",
    "/CN=bench",
    "-addext",
    names,
    "-addext",
    "basicConstraints=CA:FALSE",
  ]);
  if (made.code !== 0) throw new Error(`Cannot make a certificate: ${made.stderr}`);
  return { certFile, keyFile };
}
