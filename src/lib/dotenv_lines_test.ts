import assert from "node:assert/strict";
import fc from "fast-check";
import { parse } from "dotenv";
import { readDotenvLines } from "./dotenv_lines.ts";

const keysAndLines = (text: string) =>
  readDotenvLines(text).assignments.map(({ key, line }) => [key, line]);

Deno.test("readDotenvLines() finds assignments and their lines", () => {
  const text = [
    "# comment",
    "",
    "A=1 # one",
    'B="two',
    'lines" # and a comment',
    "export C='3'",
    "  D = ",
    "E=`a \"quoted\" 'one'`",
  ].join("\r\n");
  assert.deepEqual(keysAndLines(text), [["A", 3], ["B", 4], ["C", 6], ["D", 7], ["E", 8]]);
  assert.deepEqual(readDotenvLines(text).problems, []);
});

const BAD: Readonly<Record<string, readonly [string, number]>> = {
  "a line without =": ["A=1\nJUST_A_NAME\nB=2", 2],
  "a quote that is not closed": ['A="1\nB=2', 1],
  "text after a quote": ["A='1' 2", 1],
  "a name that dotenv does not read": ["A=1\n$B=2", 2],
};

for (const [name, [text, line]] of Object.entries(BAD)) {
  Deno.test(`readDotenvLines() reports ${name}`, () => {
    assert.deepEqual(readDotenvLines(text).problems.map((problem) => problem.line), [line]);
  });
}

Deno.test("readDotenvLines() and dotenv agree on every file without problems", () => {
  const piece = fc.constantFrom(
    ..."AB= \"'`#\n\\".split(""),
    "A=",
    "B=x",
    "\nC=",
    "export ",
    "value",
    "\n",
  );
  let read = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const { assignments, problems } = readDotenvLines(text);
      if (problems.length > 0) return;
      read += assignments.length;
      const found = Object.fromEntries(
        assignments.map((each) => [each.key, parse(each.text)[each.key] ?? ""]),
      );
      assert.deepEqual(found, { ...parse(text) });
    }),
    { numRuns: 5_000, seed: 1 },
  );
  assert.ok(read > 500, String(read));
});
