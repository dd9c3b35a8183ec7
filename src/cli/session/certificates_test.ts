import assert from "node:assert/strict";
import { rootCertificates } from "node:tls";
import { CliError } from "../errors/cli_error.ts";
import { parseCertificates, readCertificates } from "./certificates.ts";

const [first, second] = rootCertificates.map((pem) => pem.trim());

Deno.test("parseCertificates() reads every certificate, regardless of text between certificates", () => {
  const text = `# ours\n${first}\nsubject=CN\r\n${second!.replaceAll("\n", "\r\n")}\n`;
  assert.deepEqual(parseCertificates(text, "ca.pem").map((pem) => pem.replaceAll("\r", "")), [
    first,
    second,
  ]);
});

const refused: readonly (readonly [name: string, text: string, message: string])[] = [
  ["nothing", "", "Cannot use ca.pem: it must contain PEM certificates"],
  [
    "a key",
    "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----",
    "Cannot use ca.pem: it must contain PEM certificates",
  ],
  [
    "a damaged certificate",
    `${first}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----`,
    "Cannot use ca.pem: its certificate 2 cannot be read",
  ],
];

for (const [name, text, message] of refused) {
  Deno.test(`parseCertificates() refuses ${name}`, () => {
    assert.throws(
      () => parseCertificates(text, "ca.pem"),
      (error) => error instanceof CliError && error.code === "usage" && error.message === message,
    );
  });
}

Deno.test("readCertificates() reports a missing file", async () => {
  await assert.rejects(
    readCertificates("/nonexistent/ca.pem"),
    (error) =>
      error instanceof CliError &&
      /^Cannot read the certificates in \/nonexistent\/ca\.pem: it does not exist$/.test(
        error.message,
      ),
  );
});
