import assert from "node:assert/strict";
import fc from "fast-check";
import { findTotpStep, fromBase32, otpauthUri, toBase32, totpCode, totpStep } from "./totp.ts";

const RFC_SECRET = toBase32(new TextEncoder().encode("12345678901234567890"));

/** The SHA-1 rows of RFC 6238, appendix B, with the last six of the eight digits. */
const vectors = [
  [59, "287082"],
  [1111111109, "081804"],
  [1111111111, "050471"],
  [1234567890, "005924"],
  [2000000000, "279037"],
  [20000000000, "353130"],
] as const;

for (const [seconds, code] of vectors) {
  Deno.test(`totpCode() at ${seconds} s returns the code of RFC 6238`, () => {
    assert.equal(totpCode(RFC_SECRET, totpStep(seconds * 1000)), code);
  });
}

const AT = Date.UTC(2026, 10, 21, 12, 0, 10);
const rows = [
  ["the current step", 0, -1, true],
  ["the step before", -1, -1, true],
  ["the step after", 1, -1, true],
  ["two steps before", -2, -1, false],
  ["two steps after", 2, -1, false],
  ["a step used before", 0, 0, false],
  ["a step before the one used", -1, 0, false],
  ["a step after the one used", 1, 0, true],
] as const;

for (const [name, offset, lastOffset, taken] of rows) {
  Deno.test(`findTotpStep() ${taken ? "accepts" : "refuses"} the code of ${name}`, () => {
    const now = totpStep(AT);
    const lastStep = lastOffset === -1 ? 0 : now + lastOffset;
    const code = totpCode(RFC_SECRET, now + offset);
    const step = findTotpStep(code, { secret: RFC_SECRET, now: AT, lastStep });
    assert.equal(step, taken ? now + offset : undefined);
  });
}

Deno.test("toBase32() and fromBase32() are inverses", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
    assert.deepEqual([...fromBase32(toBase32(bytes))], [...bytes]);
  }));
  assert.equal(toBase32(new TextEncoder().encode("foobar")), "MZXW6YTBOI");
  assert.throws(() => fromBase32("1"), SyntaxError);
});

Deno.test("otpauthUri() escapes its names", () => {
  assert.equal(
    otpauthUri("ABC", { issuer: "svc localhost", account: "a&b@example.com" }),
    "otpauth://totp/svc%20localhost:a%26b%40example.com?secret=ABC&issuer=svc%20localhost" +
      "&algorithm=SHA1&digits=6&period=30",
  );
});
