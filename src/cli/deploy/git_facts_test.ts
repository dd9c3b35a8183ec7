import assert from "node:assert/strict";
import { parseGitFacts, readGitFacts } from "./git_facts.ts";

const SHA = "a".repeat(40);

Deno.test("parseGitFacts() takes branch, commit, author and subject", () => {
  assert.deepEqual(parseGitFacts("main", `${SHA}\nAda\nFix the bar`), {
    branch: "main",
    commitSha: SHA,
    author: "Ada",
    message: "Fix the bar",
  });
});

Deno.test("parseGitFacts() leaves out what is missing or would be refused", () => {
  assert.deepEqual(parseGitFacts(undefined, undefined), {});
  assert.deepEqual(parseGitFacts("", "fatal: not a repository"), {});
  assert.deepEqual(parseGitFacts("-bad", `${SHA}\n\n`), { commitSha: SHA });
});

Deno.test("parseGitFacts() cuts texts to what the platform takes", () => {
  const { author, message } = parseGitFacts("m", `${SHA}\n${"a".repeat(300)}\n${"m".repeat(900)}`);
  assert.deepEqual([author?.length, message?.length], [200, 500]);
});

Deno.test("readGitFacts() is empty for a folder that is no checkout", async () => {
  const folder = await Deno.makeTempDir();
  try {
    assert.deepEqual(await readGitFacts(folder), {});
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
