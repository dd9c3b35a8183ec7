import assert from "node:assert/strict";
import { parseGitFacts, readGitFacts } from "./git_facts.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const SHA = "a".repeat(40);

Deno.test("parseGitFacts() reads branch, commit, author and subject", () => {
  assert.deepEqual(parseGitFacts("main", `${SHA}\nAda\nFix the bar`), {
    branch: "main",
    commitSha: SHA,
    author: "Ada",
    message: "Fix the bar",
  });
});

Deno.test("parseGitFacts() omits facts that are missing or would be refused", () => {
  assert.deepEqual(parseGitFacts(undefined, undefined), {});
  assert.deepEqual(parseGitFacts("", "fatal: not a repository"), {});
  assert.deepEqual(parseGitFacts("-bad", `${SHA}\n\n`), { commitSha: SHA });
});

Deno.test("parseGitFacts() shortens text to the platform's limits", () => {
  const { author, message } = parseGitFacts("m", `${SHA}\n${"a".repeat(300)}\n${"m".repeat(900)}`);
  assert.deepEqual([author?.length, message?.length], [200, 500]);
});

Deno.test("readGitFacts() returns nothing for a folder that is not a checkout", async () => {
  await inTestFolder(async (folder) => {
    assert.deepEqual(await readGitFacts(folder, { GITHUB_REF_NAME: "main" }), {});
  });
});

Deno.test("readGitFacts() never treats a detached HEAD as a branch", async () => {
  await inTestFolder(async (folder) => {
    const git = async (...args: string[]) => {
      const { success } = await new Deno.Command("git", {
        args: ["-C", folder, "-c", "user.name=Ada", "-c", "user.email=a@example.com", ...args],
        stdout: "null",
        stderr: "null",
      }).output();
      assert.ok(success, args.join(" "));
    };
    await git("init", "-b", "main");
    await git("commit", "--allow-empty", "-m", "One");
    assert.equal((await readGitFacts(folder, { CI_COMMIT_REF_NAME: "x" })).branch, "main");
    await git("checkout", "--detach");
    const { branch, commitSha } = await readGitFacts(folder, {});
    assert.equal(branch, `commit-${commitSha?.slice(0, 7)}`);
    const named = await readGitFacts(folder, { GITHUB_HEAD_REF: "", GITHUB_REF_NAME: "feature/x" });
    assert.equal(named.branch, "feature/x");
    const unfit = await readGitFacts(folder, { GITHUB_REF_NAME: "-bad" });
    assert.equal(unfit.branch, branch);
  });
});
