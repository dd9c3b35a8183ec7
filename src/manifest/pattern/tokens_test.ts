import assert from "node:assert/strict";
import fc from "fast-check";
import { tokenizePattern } from "./tokens.ts";

const kinds = (pattern: string) =>
  tokenizePattern(pattern).map(({ kind, text }) => `${kind} ${text}`);

Deno.test("tokenizePattern() distinguishes groups, classes, escapes and quantifiers", () => {
  assert.deepEqual(kinds("^(?<n>[)\\]]*+)\\k<n>\\Q(\\E{2}x"), [
    "text ^",
    "open (?<n>",
    "class [)\\]]",
    "quantifier *+",
    "close )",
    "escape \\k<n>",
    "escape \\Q(\\E",
    "quantifier {2}",
    "text x",
  ]);
  assert.deepEqual(kinds("(?<=a)(?<!b)(?=c)(?!d)(?>e)(?:f)(?i)g"), [
    "open (?<=",
    "text a",
    "close )",
    "open (?<!",
    "text b",
    "close )",
    "open (?=",
    "text c",
    "close )",
    "open (?!",
    "text d",
    "close )",
    "open (?>",
    "text e",
    "close )",
    "open (?:",
    "text f",
    "close )",
    "open (?i",
    "close )",
    "text g",
  ]);
});

Deno.test("tokenizePattern() loses nothing, for any text", () => {
  const piece = fc.constantFrom(
    "(",
    ")",
    "[",
    "]",
    "\\",
    "?",
    "<",
    "=",
    "!",
    "*",
    "{1}",
    "a",
    ":",
    "^",
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.array(piece).map((all) => all.join(""))), (pattern) => {
      const tokens = tokenizePattern(pattern);
      assert.equal(tokens.map(({ text }) => text).join(""), pattern);
      let offset = 0;
      for (const { start, text } of tokens) {
        assert.equal(start, offset);
        offset += text.length;
      }
    }),
  );
});
