import assert from "node:assert/strict";
import fc from "fast-check";
import { findJsonFault } from "./json_scan.ts";

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const VALID = [
  "{}",
  " [ ] ",
  '{"a":[1,{"b":null}],"c":"\\u00e9\\n"}',
  "-0.5e+10",
  "[true,false,null]",
  '""',
  "[[],{},[{}]]\n",
];

Deno.test("findJsonFault() finds nothing in valid JSON", () => {
  for (const text of VALID) assert.equal(findJsonFault(text, 64), undefined, text);
});

Deno.test("findJsonFault() agrees with JSON.parse on any JSON value", () => {
  fc.assert(fc.property(fc.json(), (text) => {
    const fault = findJsonFault(text, 1000);
    assert.ok(
      fault === undefined || fault.message.endsWith("appears twice"),
      fault?.message ?? "",
    );
  }));
});

Deno.test("findJsonFault() agrees with JSON.parse on damaged JSON", () => {
  const damaged = fc.tuple(fc.constantFrom(...VALID), fc.nat(40), fc.string({ maxLength: 2 })).map(
    ([text, at, part]) => text.slice(0, at) + part + text.slice(at + 1),
  );
  fc.assert(
    fc.property(damaged, (text) => {
      const fault = findJsonFault(text, 1000);
      if (fault?.message.endsWith("appears twice")) return;
      assert.equal(fault === undefined, parses(text), JSON.stringify(text));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("findJsonFault() finds the offset", () => {
  assert.deepEqual(findJsonFault('{"a":1,"a":2}', 9), {
    offset: 7,
    message: 'Key "a" appears twice',
  });
  assert.equal(findJsonFault("[1,]", 9)?.offset, 3);
  assert.equal(findJsonFault("[1", 9)?.offset, 2);
});

Deno.test("findJsonFault() limits the depth without recursion", () => {
  assert.equal(findJsonFault("[".repeat(200_000), 64)?.offset, 64);
  assert.equal(findJsonFault("[[[]]]", 3), undefined);
  assert.equal(findJsonFault("[[[]]]", 2)?.offset, 2);
});
