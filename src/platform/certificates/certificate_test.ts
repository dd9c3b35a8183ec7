import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { makeTestFolder } from "../../lib/_test_folder.ts";
import {
  type CertificateRecord,
  certificateToWire,
  renewalId,
  renewalTime,
  retryTime,
} from "./certificate.ts";

const DAY = 24 * 60 * 60 * 1000;
const life = { notBefore: 0, notAfter: 90 * DAY };

Deno.test("renewalTime() returns two thirds of the lifetime, or up to a tenth more", () => {
  assert.equal(Math.round(renewalTime(life, 0) / DAY), 60);
  assert.equal(Math.round(renewalTime(life, 1) / DAY), 69);
});

Deno.test("retryTime() waits 5 minutes, then three times as long each time, up to a day", () => {
  const minutes = (failures: number, chance = 0.5) =>
    Math.round(retryTime(failures, { now: 0, chance }) / 60_000);
  assert.deepEqual([1, 2, 3, 4].map((failures) => minutes(failures)), [5, 15, 45, 135]);
  assert.equal(minutes(1000), 24 * 60);
  assert.deepEqual([minutes(3, 0), minutes(3, 1)], [34, 56]);
});

const sealed = { keyId: "k", nonce: new Uint8Array(), data: new Uint8Array() };
const record = (given: Partial<CertificateRecord>): CertificateRecord => ({
  hostname: "shop.example",
  issued: null,
  failures: 0,
  error: null,
  dueAt: 0,
  ...given,
});
const issued = { chain: "", key: sealed, ...life };
const expiresAt = new Date(90 * DAY).toISOString();

const rows = [
  ["a missing certificate", undefined, DAY, { status: "pending", expiresAt: null, error: null }],
  ["a valid certificate", record({ issued }), DAY, { status: "issued", expiresAt, error: null }],
  [
    "a valid certificate whose renewal failed",
    record({ issued, failures: 1, error: "no" }),
    DAY,
    { status: "issued", expiresAt, error: "no" },
  ],
  [
    "an expired certificate",
    record({ issued, failures: 9, error: "no" }),
    91 * DAY,
    { status: "failed", expiresAt, error: "no" },
  ],
  [
    "a first order that failed",
    record({ failures: 1, error: "no" }),
    DAY,
    { status: "failed", expiresAt: null, error: "no" },
  ],
] as const;

for (const [name, given, now, wanted] of rows) {
  Deno.test(`certificateToWire() shows ${name}`, () => {
    assert.deepEqual(certificateToWire(given, now), wanted);
  });
}

Deno.test("renewalId() joins the authority's key and the serial number as in OpenSSL", async () => {
  const folder = await makeTestFolder("svc-renewal-id-");
  const file = join(folder, "c.pem");
  const openssl = async (...args: readonly string[]) => {
    const { stdout, success } = await new Deno.Command("openssl", {
      args: [...args],
      stderr: "null",
    })
      .output();
    assert.ok(success);
    return new TextDecoder().decode(stdout);
  };
  const hex = (text: string) => Buffer.from(text.replaceAll(":", ""), "hex").toString("base64url");
  const make = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  for (const [serial, bytes] of [["0x8765", "008765"], ["0x1234", "1234"]] as const) {
    await openssl(
      ...[...make, "-nodes", "-keyout", join(folder, "k.pem"), "-out", file],
      ...["-subj", "/CN=a", "-set_serial", serial],
      ...["-addext", "authorityKeyIdentifier=keyid:always"],
    );
    const shown = await openssl("x509", "-in", file, "-noout", "-ext", "authorityKeyIdentifier");
    const keyId = /(?:[0-9A-F]{2}:){19}[0-9A-F]{2}/.exec(shown)![0];
    assert.equal(renewalId(await Deno.readTextFile(file)), `${hex(keyId)}.${hex(bytes)}`);
  }
  await Deno.remove(folder, { recursive: true });
});
