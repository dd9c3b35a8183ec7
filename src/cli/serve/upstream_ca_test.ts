import assert from "node:assert/strict";
import { rootCertificates } from "node:tls";
import { CliError } from "../errors/cli_error.ts";
import { parseUpstreamCa, readUpstreamCa } from "./upstream_ca.ts";

const [first, second] = rootCertificates.map((pem) => pem.trim());

Deno.test("parseUpstreamCa() takes every certificate, whatever stands between them", () => {
  const text = `# ours\n${first}\nsubject=CN\r\n${second!.replaceAll("\n", "\r\n")}\n`;
  assert.deepEqual(parseUpstreamCa(text, "ca.pem").map((pem) => pem.replaceAll("\r", "")), [
    first,
    second,
  ]);
});

const refused: readonly (readonly [name: string, text: string, message: string])[] = [
  ["nothing", "", "Can not use ca.pem: it must hold certificates as PEM"],
  [
    "a key",
    "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----",
    "Can not use ca.pem: it must hold certificates as PEM",
  ],
  [
    "a damaged certificate",
    `${first}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----`,
    "Can not use ca.pem: its certificate 2 can not be read",
  ],
];

for (const [name, text, message] of refused) {
  Deno.test(`parseUpstreamCa() refuses ${name}`, () => {
    assert.throws(
      () => parseUpstreamCa(text, "ca.pem"),
      (error) => error instanceof CliError && error.code === "usage" && error.message === message,
    );
  });
}

Deno.test("readUpstreamCa() says that there is no such file", async () => {
  await assert.rejects(
    readUpstreamCa("/nonexistent/ca.pem"),
    (error) =>
      error instanceof CliError &&
      /^Cannot read the certificates in \/nonexistent\/ca\.pem: it does not exist$/.test(
        error.message,
      ),
  );
});
