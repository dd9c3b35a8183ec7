import assert from "node:assert/strict";
import { mergeQueries } from "./query.ts";

const rows: readonly [own: string, asked: string, merged: string][] = [
  ["a=1", "", "a=1"],
  ["", "b=2", "b=2"],
  ["a=1", "b=2&c", "a=1&b=2&c"],
  ["a=1", "a=2&b=3&a=4", "a=1&b=3"],
  ["a=1&a=2", "b=3", "a=1&a=2&b=3"],
  ["a%20b=1", "a+b=2&ab=3", "a%20b=1&ab=3"],
  ["a=1", "%61=2", "a=1"],
  ["a=1", "?a=2&&b=%zz", "a=1&?a=2&b=%zz"],
  ["a", "a=2&b", "a&b"],
];

for (const [own, asked, merged] of rows) {
  Deno.test(`mergeQueries() returns "${merged}" for "${own}" and "${asked}"`, () => {
    assert.equal(mergeQueries(own, asked), merged);
  });
}
