/** Shows the build log of a deployment that a hook started. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeRepository } from "../../src/lib/_test_git.ts";
import { oneObject, TOKEN, withSandbox } from "../helpers/sandbox.ts";
import { testNeeding } from "../helpers/empty_root.ts";

const test = testNeeding("git", "sh");

test("svc logs --build shows a build's log and follows it to the end", async () => {
  await withSandbox(async (box) => {
    const repository = await makeRepository(box.folder, "repository");
    await box.start(["--git-root", box.folder]);
    await Deno.writeTextFile(join(box.site, "index.html"), "by hand");
    await box.json(["init", "--name", "shop", "--create"]);
    const byHand = await box.json(["deploy"]);
    const { lines: none } = await box.json(["logs", "--build", String(byHand.id)]);
    assert.deepEqual(none, []);
    await box.json([
      "projects",
      "update",
      "shop",
      "--git-url",
      repository.path,
      "--build-command",
      "echo one; sleep 1; echo two; mkdir o; echo hi > o/index.html",
      "--output-directory",
      "o",
    ]);
    const commitSha = await repository.commit("main", { "a.txt": "a" });
    const hook = await box.json(["hooks", "create", "--name", "ci", "--branch", "main"]);
    const url = String((hook.hook as { url?: string } | undefined)?.url ?? hook.url);
    const triggered = await fetch(`${box.platform!.url}${new URL(url).pathname}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ branch: "main", commitSha }),
    });
    const { id } = await triggered.json();
    const followed = await box.tool(["logs", "--build", "--follow"]);
    assert.equal(followed.code, 0, followed.stderr);
    assert.match(followed.stdout, /^one\n(?:.*\n)*two\n(?:.*\n)*Built 1 file\n$/m);
    const shown = await box.tool(["logs", id, "--build", "--json"]);
    const { lines, isComplete, deployment } = oneObject(shown.stdout);
    assert.equal(deployment, id);
    assert.equal(isComplete, true);
    assert.ok((lines as { text: string }[]).some(({ text }) => text === "two"));
    assert.ok(!shown.stdout.includes(TOKEN));
  });
});
