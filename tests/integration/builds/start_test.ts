/**
 * Creates sites from git URLs with `svc projects create --git-url … --deploy` and `svc builds
 * start`.
 */
import assert from "node:assert/strict";
import { runCli } from "../../../src/cli/_test_run.ts";
import { makeRepository, serveGit } from "../../../src/lib/_test_git.ts";
import { type BuildPlatform, withBuilds } from "../../helpers/git_builds.ts";
import { TOKEN } from "../../helpers/platform.ts";
import { sleepBriefly } from "../../helpers/tool.ts";

async function tool(platform: BuildPlatform, argv: readonly string[], stdin?: string) {
  const run = await runCli([...argv, "--json"], {
    fetch,
    sleep: sleepBriefly,
    ...(stdin === undefined ? {} : { stdin }),
    env: {
      SVC_API_URL: `http://127.0.0.1:${platform.port}`,
      SVC_TOKEN: TOKEN,
      XDG_CONFIG_HOME: platform.folder,
    },
  });
  return { code: run.code, json: JSON.parse(run.stdout), stderr: run.stderr };
}

Deno.test("svc projects create --git-url --deploy builds immediately and shows the build", () =>
  withBuilds(async (platform) => {
    const { repository, get } = platform;
    await repository.commit("main", { "index.html": "<p>one</p>" });
    const created = await tool(platform, [
      "projects",
      "create",
      "--name",
      "shop",
      "--git-url",
      repository.path,
      "--deploy",
    ]);
    assert.equal(created.code, 0, created.stderr);
    assert.equal(created.json.deployment.status, "LIVE");
    assert.match(created.stderr, /Building commit [0-9a-f]{40} of main/);
    assert.match((await get("shop.localhost", "/")).text, /<p>one<\/p>/);

    await repository.commit("menu", { "index.html": "<p>menu</p>" });
    const start = (...more: string[]) =>
      tool(platform, ["builds", "start", "--project-id", "shop", ...more]);
    const preview = await start("--branch", "menu");
    assert.deepEqual([preview.code, preview.json.deployment.isPreview], [0, true]);
    const again = await start("--branch", "menu");
    assert.equal(
      again.json.deployment.id,
      preview.json.deployment.id,
      "the same commit is not deployed again",
    );
    const forced = await start("--branch", "menu", "--rebuild");
    assert.notEqual(forced.json.deployment.id, preview.json.deployment.id);
    const byOldName = await start("--branch", "menu", "--force");
    assert.notEqual(byOldName.json.deployment.id, forced.json.deployment.id);
    assert.match(byOldName.stderr, /Use --rebuild here/);
    const none = await start("--branch", "other");
    assert.deepEqual([none.code, none.json.error], [1, "Branch not found"]);
  }));

Deno.test("--deploy fails if the build fails, and the project remains", () =>
  withBuilds(async (platform) => {
    const { repository } = platform;
    await repository.commit("main", { "index.html": "<p>one</p>" });
    const create = (...more: string[]) =>
      tool(platform, ["projects", "create", "--name", "shop", "--deploy", ...more]);
    const usage = await create();
    assert.deepEqual([usage.code, usage.json.code], [2, "usage"]);
    const failed = await create("--git-url", repository.path, "--build-command", "exit 3");
    assert.deepEqual([failed.code, failed.json.code], [1, "deployment_failed"]);
    assert.match(failed.json.error, /exit 3/);
    const { json } = await platform.api("PATCH", "/v1/projects/shop", {
      json: { buildCommand: null },
    });
    assert.equal(json.name, "shop");
    const mended = await tool(platform, ["builds", "start", "--project-id", "shop"]);
    assert.equal(mended.json.deployment.status, "LIVE");
  }));

Deno.test("a build fails without the variables that svc.toml requires", () =>
  withBuilds(async (platform) => {
    const { repository } = platform;
    await repository.commit("main", {
      "index.html": "<p>one</p>",
      "svc.toml":
        '[env.declarations]\nA = "plain"\nB = { visibility = "plain", required = false }\n',
    });
    const failed = await tool(platform, [
      "projects",
      "create",
      "--name",
      "shop",
      "--git-url",
      repository.path,
      "--deploy",
    ]);
    assert.deepEqual([failed.code, failed.json.code], [1, "deployment_failed"]);
    assert.match(failed.json.error, /svc\.toml requires variables that are not set: A/);
    await platform.api("PUT", "/v1/projects/shop/variables/A", {
      json: { value: "1", category: "plain", scope: "all" },
    });
    const mended = await tool(platform, ["builds", "start", "--project-id", "shop"]);
    assert.equal(mended.json.deployment.status, "LIVE", mended.stderr);
  }));

Deno.test("a private repository is built with credentials, and missing ones are reported", () =>
  withBuilds(async (platform) => {
    const repository = await makeRepository(`${platform.folder}/private`);
    await repository.commit("main", { "index.html": "<p>private</p>" });
    await using server = serveGit(`${platform.folder}/private`, { basic: "ada:s3cret-token" });
    const url = `${server.url}/site/.git`;
    const refused = await tool(platform, [
      "projects",
      "create",
      "--name",
      "shop",
      "--git-url",
      url,
      "--deploy",
    ]);
    assert.deepEqual([refused.code, refused.json.code], [1, "not_found"]);
    assert.match(refused.json.error, /does not exist, or is private/);
    const [create, credentials, start] = refused.json.next;
    assert.equal(create, `svc projects create --name shop --git-url ${url} --json`);
    assert.match(credentials, /^svc projects git-credentials shop --stdin/);
    assert.equal(start, "svc builds start --project-id shop --json");
    assert.equal((await platform.api("GET", "/v1/projects/shop")).status, 404);
    const created = await tool(platform, create.split(" ").slice(1));
    assert.equal(created.code, 0, created.stderr);
    const stored = await tool(
      platform,
      ["projects", "git-credentials", "shop", "--username", "ada", "--stdin"],
      "s3cret-token\n",
    );
    assert.equal(stored.code, 0, stored.stderr);
    const built = await tool(platform, ["builds", "start", "--project-id", "shop"]);
    assert.equal(built.json.deployment?.status, "LIVE", built.stderr);
  }));

Deno.test("with verifyRepository, a project is created only if its repository can be read", () =>
  withBuilds(async (platform) => {
    const repository = await makeRepository(`${platform.folder}/private`);
    await repository.commit("main", { "index.html": "<p>private</p>" });
    await using server = serveGit(`${platform.folder}/private`, { basic: "ada:s3cret-token" });
    const gitUrl = `${server.url}/site/.git`;
    const credentials = { type: "https", username: "ada", token: "s3cret-token" };
    const create = (json: Record<string, unknown>) =>
      platform.api("POST", "/v1/projects", { json: { name: "shop", gitUrl, ...json } });
    const refused: readonly (readonly [Record<string, unknown>, RegExp])[] = [
      [{}, /does not exist, or is private\. Check the URL, or add credentials/],
      [{ gitUrl: `${server.url}/typo/.git`, credentials }, /or these credentials give no access/],
      [{ credentials: { ...credentials, token: "old" } }, /or these credentials give no access/],
      [{ gitUrl: "http://127.0.0.1:1/site.git" }, /^Cannot reach the repository: /],
      [{ gitUrl: `${platform.folder}/none` }, /^Cannot reach the repository: /],
    ];
    for (const [json, message] of refused) {
      const refusal = await create({ ...json, verifyRepository: true });
      const [problem] = refusal.json.problems;
      assert.deepEqual([refusal.status, problem.path], [400, "body.gitUrl"]);
      assert.match(problem.message, message);
      assert.doesNotMatch(JSON.stringify(refusal.json), /s3cret-token/);
    }
    assert.equal((await platform.api("GET", "/v1/projects/shop")).status, 404);

    const made = await create({ credentials, verifyRepository: true });
    assert.deepEqual([made.status, made.json.gitCredentials], [201, "https"]);
    assert.doesNotMatch(JSON.stringify(made.json), /s3cret-token/);
    const read = await platform.api("GET", "/v1/projects/shop/repository");
    assert.deepEqual(read.json.branches, ["main"]);
    const ssh = await create({ name: "other", gitUrl: "git@git.example:x.git", credentials });
    assert.equal(ssh.status, 409, "the URL cannot use the credentials");
    const unverified = await create({ name: "later", gitUrl: "http://127.0.0.1:1/site.git" });
    assert.equal(unverified.status, 201);
  }));
