import assert from "node:assert/strict";
import { findWords } from "./check_words.ts";

const find = (path: string, text: string) => findWords([{ path, text }]);

Deno.test("findWords() names the line of a word to avoid, and a better one", () => {
  assert.deepEqual(find("src/a.ts", '\nconst a = "Deployed with the variables of now";'), [
    'src/a.ts:2: "of now": write "current"',
  ]);
  assert.equal(find("src/a.tsx", "<p>\n  The project is made.\n</p>").length, 1);
  assert.equal(find("src/a.ts", "`Give a path: ${path}`").length, 1);
});

Deno.test("findWords() leaves out code, comments and tests", () => {
  assert.deepEqual(find("src/a.ts", "/** Somebody. */\n// anew, meanwhile\nconst anew = 1;"), []);
  assert.deepEqual(find("src/a_test.ts", 'assert.equal("is made", 1);'), []);
  assert.deepEqual(find("docs/a.md", "is made"), []);
});
