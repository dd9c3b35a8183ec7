import assert from "node:assert/strict";
import { join } from "node:path";
import { CertificateFileError, readCertificateFiles } from "./static_certificate.ts";

/** Options for `openssl req` to create a key of each kind. */
const KINDS = {
  RSA: ["-newkey", "rsa:2048"],
  "ECDSA P-256": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
  "ECDSA P-384": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:secp384r1"],
  Ed25519: ["-newkey", "ed25519"],
};

async function writePair(folder: string, name: string, kind: readonly string[]) {
  const files = {
    certFile: join(folder, `${name}.crt.pem`),
    keyFile: join(folder, `${name}.key.pem`),
  };
  const { success } = await new Deno.Command("openssl", {
    args: [
      "req",
      "-x509",
      ...kind,
      "-nodes",
      "-subj",
      `/CN=${name}.test`,
      "-keyout",
      files.keyFile,
      "-out",
      files.certFile,
    ],
    stderr: "null",
  }).output();
  assert.ok(success);
  return files;
}

const folder = await Deno.makeTempDir({ prefix: "svc-certificate-" });
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

for (const [name, kind] of Object.entries(KINDS)) {
  Deno.test(`readCertificateFiles() accepts an ${name} certificate only with its own key`, async () => {
    const own = await writePair(folder, "own", kind);
    const other = await writePair(folder, "other", kind);
    const { cert, key } = await readCertificateFiles(own, Date.now());
    assert.match(cert, /BEGIN CERTIFICATE/);
    assert.match(key, /PRIVATE KEY/);
    await assert.rejects(
      readCertificateFiles({ ...own, keyFile: other.keyFile }, Date.now()),
      (error) => error instanceof CertificateFileError && /is not the key for/.test(error.message),
    );
  });
}

Deno.test("readCertificateFiles() checks the first certificate of a chain", async () => {
  const own = await writePair(folder, "leaf", KINDS.RSA);
  const issuer = await writePair(folder, "issuer", KINDS.RSA);
  const certs = await Promise.all([own, issuer].map(({ certFile }) => Deno.readTextFile(certFile)));
  const chain = { ...own, certFile: join(folder, "chain.pem") };
  await Deno.writeTextFile(chain.certFile, certs.join(""));
  await readCertificateFiles(chain, Date.now());
  await Deno.writeTextFile(chain.certFile, certs.reverse().join(""));
  await assert.rejects(readCertificateFiles(chain, Date.now()), CertificateFileError);
});

Deno.test("readCertificateFiles() describes the missing file", async () => {
  const own = await writePair(folder, "present", KINDS.RSA);
  const lost = join(folder, "lost.pem");
  for (
    const [files, what] of [[{ ...own, certFile: lost }, "certificate"], [
      { ...own, keyFile: lost },
      "private key",
    ]] as const
  ) {
    await assert.rejects(readCertificateFiles(files, Date.now()), {
      name: "CertificateFileError",
      message: `Cannot read the ${what} ${lost}: it does not exist`,
    });
  }
});
