import assert from "node:assert/strict";
import { runCli, type RunOptions } from "../../../src/cli/_test_run.ts";
import { FAILS, HANGS, type HookPlatform, withHooks } from "../../helpers/deploy_hooks.ts";
import { TOKEN } from "../../helpers/platform.ts";
import { sleepBriefly } from "../../helpers/tool.ts";

/** Runs the CLI in JSON mode and returns the object that it prints. */
async function tool(platform: HookPlatform, argv: readonly string[], options: RunOptions = {}) {
  const run = await runCli([...argv, "--json"], {
    fetch,
    sleep: sleepBriefly,
    ...options,
    env: {
      SVC_API_URL: `http://127.0.0.1:${platform.port}`,
      SVC_TOKEN: TOKEN,
      XDG_CONFIG_HOME: platform.folder,
      ...options.env,
    },
  });
  return { code: run.code, json: JSON.parse(run.stdout) };
}

Deno.test("svc hooks manages and triggers hooks", () =>
  withHooks(async (platform) => {
    const { repository } = platform;
    const shop = ["--project-id", "shop"];
    const created = await tool(platform, [
      "hooks",
      "create",
      "--name",
      "ci",
      "--scope",
      "Production",
      ...shop,
    ]);
    assert.equal(created.code, 0);
    assert.deepEqual([created.json.hook.branch, created.json.hook.scope], ["main", "Production"]);
    const url = (text: string) => text.replace(/localhost:\d+/, `127.0.0.1:${platform.port}`);
    const commit = await repository.git("rev-parse", "main");
    const trigger = (url: string, ...more: string[]) =>
      tool(platform, ["hooks", "trigger", "--branch", "main", "--commit", commit, ...more], {
        env: { SVC_TOKEN: "", SVC_HOOK_URL: url },
      });
    const live = await trigger(url(created.json.url), "--wait");
    assert.deepEqual([live.code, live.json.deployment.status], [0, "LIVE"]);
    const listed = await tool(platform, ["hooks", "list", ...shop]);
    assert.equal(listed.json.hooks[0].triggeredCount, 1);
    const renamed = await tool(platform, ["hooks", "rename", "ci", "github", ...shop]);
    assert.equal(renamed.json.hook.name, "github");
    const again = await tool(platform, ["hooks", "regenerate", "github", ...shop]);
    const old = await trigger(url(created.json.url));
    assert.deepEqual([old.code, old.json.code], [1, "unauthorized"]);
    assert.equal(old.json.error, "Invalid token");
    await platform.setBuildCommand(FAILS);
    const failed = await trigger(url(again.json.url), "--rebuild", "--wait");
    assert.deepEqual([failed.code, failed.json.code], [1, "deployment_failed"]);
    assert.match(failed.json.error, /failed: Build failed: `exit 3` exited with code 3/);
    const unsure = await tool(platform, ["hooks", "delete", "github", ...shop]);
    assert.equal(unsure.json.code, "action_required");
    const deleted = await tool(platform, ["hooks", "delete", "github", "--force", ...shop]);
    assert.equal(deleted.json.deleted, true);
    assert.deepEqual((await tool(platform, ["hooks", "list", ...shop])).json.hooks, []);
  }));

Deno.test("svc builds lists and cancels builds", () =>
  withHooks(async (platform) => {
    const { hook, trigger, buildIs, ended, repository } = platform;
    const commitSha = await repository.git("rev-parse", "main");
    await platform.setBuildCommand(HANGS);
    const answer = await trigger((await hook()).url, { branch: "main", commitSha });
    await buildIs(answer, "RUNNING");
    const list = () => tool(platform, ["builds", "list", "--project-id", "shop"]);
    const [build] = (await list()).json.builds;
    assert.deepEqual([build.id, build.state, build.commitSha], [
      answer.json.id,
      "RUNNING",
      commitSha,
    ]);
    assert.equal((await tool(platform, ["builds", "cancel", build.id])).code, 0);
    assert.equal((await ended(answer)).status, "STOPPED");
    await buildIs(answer, "CANCELLED");
    assert.equal((await list()).json.builds[0].state, "CANCELLED");
  }));

Deno.test("svc projects git-credentials reads secrets only from stdin and files", () =>
  withHooks(async (platform) => {
    const token = "ghp_0123456789abcdefSECRET";
    await platform.api("PATCH", "/v1/projects/shop", { json: { gitUrl: "https://git.example/x" } });
    const command = ["projects", "git-credentials", "shop"];
    const missing = await tool(platform, command);
    assert.equal(missing.json.code, "action_required");
    const set = await tool(platform, [...command, "--username", "ci", "--stdin"], {
      stdin: `${token}\n`,
    });
    assert.deepEqual([set.code, set.json.project.gitCredentials], [0, "https"]);
    assert.ok(!JSON.stringify(set.json).includes(token));
    const wrong = await tool(platform, [...command, "--stdin", "--remove"]);
    assert.deepEqual([wrong.code, wrong.json.code], [2, "usage"]);
    const removed = await tool(platform, [...command, "--remove"]);
    assert.equal(removed.json.project.gitCredentials, null);
  }));

Deno.test("a rollback to a build from git does not build again and keeps its variables", () =>
  withHooks(async (platform) => {
    const { api, hook, trigger, ended, repository, shows } = platform;
    const { url } = await hook();
    const one = await repository.git("rev-parse", "main");
    const first = await trigger(url, { branch: "main", commitSha: one });
    await ended(first);
    await api("PUT", "/v1/projects/shop/variables/LEVEL", {
      json: { value: "debug", category: "plain", scope: "all" },
    });
    const two = await repository.commit("main", { "index.html": "<p>two</p>" });
    await ended(await trigger(url, { branch: "main", commitSha: two }));
    await shows("shop.localhost", `<p>main ${two}</p>`);
    const builds = async () => (await api("GET", "/v1/projects/shop/builds")).json.items.length;
    const before = await builds();
    const { json } = await api("POST", "/v1/projects/shop/rollback", { json: {} });
    assert.equal(await builds(), before);
    assert.deepEqual([json.deployment.id, json.rolledBack.status], [first.json.id, "ROLLED_BACK"]);
    assert.equal(
      json.deployment.variablesChanged,
      true,
      "the deployment keeps the variables from its creation",
    );
    await shows("shop.localhost", `<p>main ${one}</p>`);
  }));
