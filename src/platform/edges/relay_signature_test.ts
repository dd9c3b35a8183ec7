import assert from "node:assert/strict";
import fc from "fast-check";
import { formatFacts, isSignedBy, parseFacts, signRelay, UsedNumbers } from "./relay_signature.ts";

const FACTS = {
  edge: "far",
  id: "0123456789abcdef".repeat(2),
  number: 7,
  time: 1_800_000_000_000,
  scheme: "https",
  ip: "2001:db8::1",
} as const;

Deno.test("parseFacts() reads only the output of formatFacts()", () => {
  const text = formatFacts(FACTS);
  assert.deepEqual(parseFacts(text), FACTS);
  for (const wrong of ["", ` ${text}`, `${text} x`, text.replace("https", "ftp")]) {
    assert.equal(parseFacts(wrong), undefined, wrong);
  }
});

Deno.test("isSignedBy() is true only for the same secret, facts, method and target", () => {
  const secret = new Uint8Array(32).fill(1);
  const text = formatFacts(FACTS);
  const of = { method: "GET", target: "shop.localhost/a?b" };
  const signature = signRelay(secret, text, of);
  assert.ok(isSignedBy(secret, text, { ...of, signature }));
  assert.ok(!isSignedBy(new Uint8Array(32), text, { ...of, signature }));
  assert.ok(!isSignedBy(secret, text.replace("::1", "::2"), { ...of, signature }));
  assert.ok(!isSignedBy(secret, text, { ...of, method: "POST", signature }));
  assert.ok(!isSignedBy(secret, text, { ...of, target: "shop.localhost/b", signature }));
  assert.ok(!isSignedBy(secret, text, { ...of, signature: "" }));
});

Deno.test("UsedNumbers.take() accepts each number only once, in any order", () => {
  fc.assert(fc.property(fc.array(fc.nat(40_000), { maxLength: 500 }), (numbers) => {
    const used = new UsedNumbers();
    const taken = new Set<number>();
    let highest = 0;
    for (const number of numbers) {
      const isNew = number > 0 && !taken.has(number) && number > highest - 16_384;
      if (number > 0) assert.equal(used.take(number), isNew, `${number}`);
      taken.add(number);
      highest = Math.max(highest, number);
    }
  }));
});
