/**
 * Runs the shell commands in the CI snippets in docs/deploy-hooks.md as the CI systems would,
 * against a platform with real builds.
 */
import assert from "node:assert/strict";
import { withBuilds } from "../../helpers/git_builds.ts";

const DOCS = new URL("../../../docs/deploy-hooks.md", import.meta.url);

/** Returns the lines of the block scalar (`key: |` or `- |`) after a line in YAML text. */
function blockBelow(yaml: string, opening: RegExp): string {
  const lines = yaml.split("\n");
  const start = lines.findIndex((line) => opening.test(line)) + 1;
  assert.ok(start > 0, String(opening));
  const indent = /^ */.exec(lines[start]!)![0].length;
  const end = lines.findIndex((line, index) =>
    index >= start && line.trim() !== "" && /^ */.exec(line)![0].length < indent
  );
  return lines.slice(start, end === -1 ? undefined : end).map((line) => line.slice(indent))
    .join("\n");
}

async function snippets(): Promise<readonly string[]> {
  const text = await Deno.readTextFile(DOCS);
  return [...text.matchAll(/```yaml\n(.*?)```/gs)].map((match) => match[1]!);
}

async function runScript(shell: readonly string[], script: string, env: Record<string, string>) {
  const [command = "", ...args] = shell;
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args, script],
    env: { PATH: Deno.env.get("PATH") ?? "", ...env },
    clearEnv: true,
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  return { code, stdout: decode(stdout), stderr: decode(stderr) };
}

const hasJq = await new Deno.Command("jq", { args: ["--version"], stdout: "null" }).output()
  .then(({ success }) => success, () => false);

Deno.test({
  name: "the CI snippets in docs/deploy-hooks.md deploy, wait and fail as documented",
  ignore: !hasJq,
  fn: () =>
    withBuilds(async ({ project, repository, get }) => {
      const [github = "", gitlab = ""] = await snippets();
      const { hook } = await project("shop");
      const main = await repository.commit("main", { "index.html": "<h1>main</h1>" });
      const actions = blockBelow(github, /^ +run: \|$/);
      const production = await runScript(["bash", "-e", "-c"], actions, {
        SVC_HOOK_URL: hook,
        GITHUB_SHA: main,
        GITHUB_REF_NAME: "main",
        GITHUB_ACTOR: "ada",
        GITHUB_RUN_ID: "1",
        GITHUB_RUN_ATTEMPT: "1",
      });
      assert.deepEqual([production.code, production.stderr], [0, ""], production.stdout);
      assert.equal((await get(new URL(production.stdout).hostname, "/")).text, "<h1>main</h1>");
      assert.equal((await get("shop.localhost", "/")).text, "<h1>main</h1>");

      const menu = await repository.commit("feature/menu", { "index.html": "<h1>menu</h1>" });
      const job = blockBelow(gitlab, /^ +- \|$/);
      const inGitLab = (hook: string, sha: string, branch: string) =>
        runScript(["sh", "-e", "-c"], job, {
          SVC_HOOK_URL: hook,
          CI_COMMIT_SHA: sha,
          CI_COMMIT_BRANCH: branch,
          CI_JOB_ID: sha,
          GITLAB_USER_NAME: "Ada Lovelace",
        });
      const preview = await inGitLab(hook, menu, "feature/menu");
      assert.deepEqual([preview.code, preview.stderr], [0, ""], preview.stdout);
      assert.equal((await get(new URL(preview.stdout).hostname, "/")).text, "<h1>menu</h1>");

      const failing = await project("broken", { buildCommand: "exit 3" });
      const failed = await inGitLab(failing.hook, menu, "feature/menu");
      assert.equal(failed.code, 1);
      assert.match(failed.stdout, /failed: /);
      const unknown = await inGitLab(hook.slice(0, -64) + "0".repeat(64), menu, "feature/menu");
      assert.notEqual(unknown.code, 0);
      assert.match(unknown.stderr, /401/);
    }),
});
