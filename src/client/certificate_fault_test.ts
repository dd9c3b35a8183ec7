import assert from "node:assert/strict";
import { certificateFault } from "./certificate_fault.ts";
import { UnreachableError } from "./errors.ts";

const refused = (said: string) =>
  new TypeError("fetch failed", {
    cause: new Error(`client error (Connect): invalid peer certificate: ${said}`),
  });

const VARIABLES = /DENO_CERT, NODE_EXTRA_CA_CERTS or SSL_CERT_FILE/;

const ROWS: readonly (readonly [string, RegExp, RegExp])[] = [
  ["UnknownIssuer", /does not trust its authority/, VARIABLES],
  ["Other(OtherError(CaUsedAsEndEntity))", /a CA certificate/, /CA:FALSE/],
  ["NotValidForName", /another name/, /--api-url/],
  ['certificate not valid for name "a"; certificate is only valid for b', /another name/, /./],
  ["certificate expired: verification time 2 (UNIX)", /has expired/, /Renew/],
  ["BadEncoding", /is not valid/, VARIABLES],
];

for (const [said, reason, hint] of ROWS) {
  Deno.test(`certificateFault() explains ${said}`, () => {
    const fault = certificateFault(refused(said));
    assert.match(fault?.reason ?? "", reason);
    assert.match(fault?.hint ?? "", hint);
  });
}

Deno.test("certificateFault() ignores other faults, and causes that form a cycle", () => {
  const circle = new Error("connection refused");
  circle.cause = circle;
  for (const error of [circle, "end of stream", undefined]) {
    assert.equal(certificateFault(error), undefined);
  }
});

Deno.test("UnreachableError reports that a certificate is refused, and why", () => {
  const error = new UnreachableError("https://svc.test", { cause: refused("UnknownIssuer") });
  assert.match(
    error.message,
    /at https:\/\/svc\.test: its certificate is refused because this machine does not/,
  );
});
