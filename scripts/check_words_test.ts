import assert from "node:assert/strict";
import { findWords } from "./check_words.ts";

const find = (path: string, text: string) => findWords([{ path, text }]);

Deno.test("findWords() reports the line of a word to avoid, and suggests a better one", () => {
  assert.deepEqual(find("src/a.ts", '\nconst a = "Deployed with the variables of now";'), [
    'src/a.ts:2: "of now": write "current"',
  ]);
  assert.equal(find("src/a.tsx", "<p>\n  The project is made.\n</p>").length, 1);
  assert.equal(find("src/a.ts", "`Give a path: ${path}`").length, 1);
});

Deno.test("findWords() ignores code, and words that only comments may use", () => {
  assert.deepEqual(find("src/a.ts", "/** Fixed meanwhile. */\nconst anew = 1;"), []);
  assert.deepEqual(find("src/a_test.ts", 'assert.equal("is made", 1);'), []);
  assert.deepEqual(find("docs/a.md", "```sh\nis made\n```\n\n`is made` of two parts"), []);
  assert.deepEqual(find("docs/a.md", "The platform is made of two parts."), []);
});

Deno.test("findWords() allows names of variables, and ordinal uses of words", () => {
  assert.deepEqual(
    find("src/a.ts", "/** Largest first. */\nconst a = `It is next to ${beside} it`;"),
    [],
  );
  assert.deepEqual(find("src/a.ts", "/**\n * Longest name of a file. */"), [
    'src/a.ts:2: "Longest": write "Maximum, Minimum …"',
  ]);
});

Deno.test("findWords() reads comments and documents across line breaks", () => {
  assert.deepEqual(find("src/a_test.ts", "const a = 1;\n/**\n * A file is\n * made. */"), [
    'src/a_test.ts:3: "is made": write "is created"',
  ]);
  assert.deepEqual(find("src/a.ts", "// A folder in\n// place of a file."), [
    'src/a.ts:1: "in place of": write "instead of"',
  ]);
  assert.deepEqual(find("docs/a.md", "# A\n\nThe key is\nmade by\nsomebody."), [
    'docs/a.md:3: "is made": write "is created"',
    'docs/a.md:5: "somebody": write "someone"',
  ]);
});
