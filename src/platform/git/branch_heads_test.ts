import assert from "node:assert/strict";
import { makeRepository } from "../../lib/_test_git.ts";
import { BranchHeads } from "./branch_heads.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

/**
 * Runs a test with a repository that has many branches at one commit, and counts how many times git
 * runs in it.
 */
async function withHeads(
  test: (given: {
    readonly heads: BranchHeads;
    readonly sha: string;
    readonly runs: () => number;
    readonly git: (...args: string[]) => Promise<string>;
  }) => Promise<void>,
) {
  return await inTestFolder(async (root) => {
    const repository = await makeRepository(root);
    const sha = await repository.commit("main", { "index.html": "one" }, "Begin");
    for (const name of ["b1", "b2", "b2x"]) await repository.git("branch", name);
    let runs = 0;
    const heads = new BranchHeads(async (args) => {
      runs++;
      return { code: 0, stderr: "", timedOut: false, stdout: await show(repository.path, args) };
    });
    await test({ heads, sha, runs: () => runs, git: repository.git });
  });
}

async function show(path: string, args: readonly string[]): Promise<string> {
  const { stdout } = await new Deno.Command("git", { args: ["-C", path, ...args] }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("BranchHeads needs only one more git run for all callers that arrive during a run", () =>
  withHeads(async ({ heads, sha, runs }) => {
    const names = ["main", "b1", "b2", "b2x", "b", "main", "--help", "b*"];
    const first = await heads.find("main");
    assert.deepEqual(first, { type: "found", sha, message: "Begin", author: "Ada Lovelace" });
    const found = await Promise.all(names.map((name) => heads.find(name)));
    assert.deepEqual(found.map((head) => head?.sha), [
      sha,
      sha,
      sha,
      sha,
      undefined,
      sha,
      undefined,
      undefined,
    ]);
    assert.equal(runs(), 2);
  }));

Deno.test("BranchHeads finds branches created after its last response", () =>
  withHeads(async ({ heads, sha, git }) => {
    assert.equal(await heads.find("b3"), undefined);
    await git("branch", "b3");
    assert.equal((await heads.find("b3"))?.sha, sha);
  }));

Deno.test("BranchHeads does not return commits in another encoding", () =>
  withHeads(async ({ heads, git }) => {
    const latin = new Uint8Array([0x73, 0x63, 0x68, 0xf6, 0x6e]);
    const message = await Deno.makeTempFile();
    await Deno.writeFile(message, latin);
    await git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--allow-empty", "--file", message);
    await Deno.remove(message);
    assert.equal(await heads.find("main"), undefined);
    assert.notEqual(await heads.find("b1"), undefined);
  }));
