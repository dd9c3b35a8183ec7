import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonParts } from "./json_steps.ts";
import { atOnce } from "./next_turn.ts";

const written = (value: unknown) => atOnce(jsonParts(value)).join("");

Deno.test("jsonParts() writes the same string as JSON.stringify()", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    assert.equal(written(value), JSON.stringify(value));
  }));
  const list = Array.from({ length: 1777 }, (_, n) => ({ n, none: undefined }));
  for (const value of [list, { list, deep: { list, deeper: { list } } }, {}, { a: undefined }]) {
    assert.equal(written(value), JSON.stringify(value));
  }
});
