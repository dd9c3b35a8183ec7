import assert from "node:assert/strict";
import { readVariables } from "./read_variables.ts";

Deno.test("readVariables() reads a dotenv file with the line endings that forms use", () => {
  const read = readVariables('# keys\r\nAPI="one\r\ntwo"\r\nexport MODE=fast # hm\r\n');
  assert.deepEqual(read.problems, []);
  assert.deepEqual(Object.fromEntries(read.variables), { API: "one\ntwo", MODE: "fast" });
});

for (
  const [text, ...problems] of [
    ["A=1\nsecret words", "Line 2 is not an assignment: write NAME=value"],
    [
      "9LIVES=cat\nwords",
      "Line 1: Must be letters, digits and underscores, not beginning with a digit",
      "Line 2 is not an assignment: write NAME=value",
    ],
  ] as const
) {
  Deno.test(`readVariables() refuses ${JSON.stringify(text)}`, () => {
    assert.deepEqual(readVariables(text).problems, problems);
  });
}
