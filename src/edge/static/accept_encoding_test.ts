import assert from "node:assert/strict";
import fc from "fast-check";
import { acceptedCodings } from "./accept_encoding.ts";

const rows: readonly (readonly [value: string, expected: readonly string[]])[] = [
  ["gzip, deflate, br", ["br", "gzip"]],
  ["gzip", ["gzip"]],
  ["x-gzip", ["gzip"]],
  ["GZIP;Q=1.0", ["gzip"]],
  ["br;q=0.5, gzip;q=0.8", ["gzip", "br"]],
  ["br;q=0.5,gzip;q=0.5", ["br", "gzip"]],
  ["br;q=0, gzip", ["gzip"]],
  ["*", ["br", "gzip"]],
  ["*;q=0", []],
  ["gzip, *;q=0", ["gzip"]],
  ["br;q=0, *", ["gzip"]],
  ["identity", []],
  ["identity;q=0.5, br;q=0.4, gzip;q=0.6", ["gzip"]],
  ["identity;q=0, br", ["br"]],
  ["", []],
  ["deflate", []],
  ["br;q=2", []],
  ["br;q=-1", []],
  ["br;level=9", []],
  ["brx, xbr", []],
  ["x".repeat(600) + ",br", []],
];

for (const [value, expected] of rows) {
  const field = JSON.stringify(value.slice(0, 40));
  Deno.test(`acceptedCodings() finds ${expected.join(", ") || "none"} in ${field}`, () => {
    assert.deepEqual(acceptedCodings(value), expected);
  });
}

Deno.test("acceptedCodings() accepts any text and never a refused coding", () => {
  fc.assert(fc.property(fc.string(), (text) => {
    assert.ok(!acceptedCodings(`br;q=0,${text.replaceAll(/br|\*/gi, "")}`).includes("br"));
  }));
});
