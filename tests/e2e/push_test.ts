/** Creates a site from an empty folder with three commands and a push. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { git } from "../../src/lib/_test_git.ts";
import { withSandbox } from "../helpers/sandbox.ts";
import { testNeeding } from "../helpers/empty_root.ts";

const test = testNeeding("git");

test("git push deploys a linked folder and gets its key from the CLI", async () => {
  await withSandbox(async (box) => {
    await box.start();
    const { SVC_TOKEN: _, ...env } = box.env;
    await git(box.site, "init", "--quiet", "--initial-branch=main");
    // More bytes than git sends at a time, so that they arrive in parts.
    const picture = crypto.getRandomValues(new Uint8Array(65_536));
    for (let part = 0; part < 40; part++) {
      await Deno.writeFile(join(box.site, `${part}.bin`), picture.map((byte) => byte ^ part));
    }
    await Deno.writeTextFile(join(box.site, "index.html"), "<h1>pushed</h1>");
    await box.json(["projects", "create", "--name", "shop", "--link"]);
    const { gitRemote } = await box.json(["link", "--git-remote"]);
    assert.match(String(gitRemote), /\/git\/[a-z0-9-]+\/shop\.git$/);
    await git(box.site, "add", "--all");
    await git(box.site, "commit", "--quiet", "--message", "Begin");
    const { code, stderr } = await new Deno.Command("git", {
      args: ["-C", box.site, "push", "svc", "main"],
      env: { ...env, SVC_TOKEN: box.env.SVC_TOKEN!, GIT_TERMINAL_PROMPT: "0" },
      clearEnv: true,
    }).output();
    const said = new TextDecoder().decode(stderr);
    assert.equal(code, 0, said);
    assert.match(said, /remote: svc: main is live at http:\/\/shop\.localhost/);
    assert.equal((await box.page("shop.localhost", "/")).text, "<h1>pushed</h1>");
    const last = await box.page("shop.localhost", "/39.bin");
    assert.equal(last.status, 200);

    const again = await box.json(["link", "--git-remote"]);
    assert.equal(again.gitRemote, gitRemote);
    const helpers = await git(
      box.site,
      "config",
      "--get-all",
      `credential.${box.env.SVC_API_URL}.helper`,
    );
    assert.equal(helpers.split("\n").length, 1);
    const other = "protocol=https\nhost=git.example.com\npath=git/main/shop.git\n";
    const answered = await askTool(box.site, box.env, other);
    assert.equal(answered, "", "the CLI gives a platform's key to no other host");
  });
});

/** Calls git's credential helper as git does. */
async function askTool(folder: string, env: Record<string, string>, question: string) {
  const url = env.SVC_API_URL!;
  const lines = await git(folder, "config", "--get-all", `credential.${url}.helper`);
  const helper = lines.split("\n").at(-1)!.replace(/^!/, "");
  const child = new Deno.Command("sh", {
    args: ["-c", `${helper} get`],
    env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(question));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}
