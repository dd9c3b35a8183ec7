/** Commits that change nothing in a project must not be built. */
import assert from "node:assert/strict";
import { makeRepository } from "../../../src/lib/_test_git.ts";
import { type BuildPlatform, textOf, withBuilds } from "../../helpers/git_builds.ts";
import { TOKEN } from "../../helpers/platform.ts";

const json = (value: unknown) => `${JSON.stringify(value)}\n`;

/** Two sites in one workspace. One of them needs a package. */
const FILES = {
  "package.json": json({ name: "root", private: true, workspaces: ["apps/*", "packages/*"] }),
  "packages/ui/package.json": json({ name: "ui", version: "1.0.0" }),
  "packages/other/package.json": json({ name: "other", version: "1.0.0" }),
  "apps/web/package.json": json({ name: "web", dependencies: { ui: "1.0.0" } }),
  "apps/web/index.html": "<p>web</p>",
  "apps/admin/index.html": "<p>admin</p>",
};

const SETTINGS = {
  rootDirectory: "apps/web",
  installCommand: "true",
  buildCommand: "mkdir out && cp index.html out/",
  outputDirectory: "out",
};

async function push({ port }: BuildPlatform, folder: string, branch: string) {
  const { code, stderr } = await new Deno.Command("git", {
    args: [
      "-C",
      folder,
      "push",
      `http://svc:${TOKEN}@127.0.0.1:${port}/git/default/shop.git`,
      branch,
    ],
    env: { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0" },
  }).output();
  return { code, text: new TextDecoder().decode(stderr) };
}

Deno.test("a commit that changes nothing in the root directory is skipped unless forced", () =>
  withBuilds(async ({ project, build, log, api, trigger, ended, repository }) => {
    const { id, hook } = await project("shop", SETTINGS);
    assert.equal((await build(hook, FILES)).error, null);

    const other = await build(hook, { "apps/admin/index.html": "<p>two</p>", "README.md": "Two" });
    assert.equal(other.status, "STOPPED");
    assert.match(
      other.error!,
      /^Skipped: nothing changed since [0-9a-f]{7} in apps\/web, packages/,
    );
    assert.match(textOf(await log(other.id)), /Skipped: nothing changed since/);
    const { json: shown } = await api("GET", `/v1/builds/${other.id}`);
    assert.deepEqual([shown.state, shown.error], ["CANCELLED", other.error]);

    const needed = await build(hook, { "packages/ui/index.js": "1" });
    assert.equal(needed.status, "LIVE", needed.error ?? "");
    assert.match(textOf(await log(needed.id)), /Changed since [0-9a-f]{7}: packages\/ui\/index.js/);
    assert.equal((await build(hook, { "packages/other/index.js": "1" })).status, "STOPPED");
    assert.equal((await build(hook, { "package-lock.json": "{}" })).status, "LIVE");
    assert.equal((await build(hook, {})).status, "LIVE", "an empty commit requests a build");

    const skipped = await build(hook, { "apps/admin/index.html": "<p>three</p>" });
    assert.equal(skipped.status, "STOPPED");
    const commitSha = await repository.git("rev-parse", "main");
    const forced = await trigger(hook, { branch: "main", commitSha, force: true });
    assert.equal((await ended(forced.id)).status, "LIVE");

    await build(hook, { "apps/admin/index.html": "<p>four</p>" });
    await api("PATCH", `/v1/projects/${id}`, { json: { nodeVersion: null, displayName: "Shop" } });
    const settings = await build(hook, { "apps/admin/index.html": "<p>five</p>" });
    assert.equal(settings.status, "LIVE", "changed settings require a build");
    await api("PUT", `/v1/projects/${id}/variables/A`, {
      json: { value: "1", category: "plain", scope: "all" },
    });
    const variables = await build(hook, { "apps/admin/index.html": "<p>six</p>" });
    assert.equal(variables.status, "LIVE", "changed variables require a build");
  }));

Deno.test("the exit code of build.ignore decides, based on the changed files", () =>
  withBuilds(async ({ project, build, log }) => {
    const { hook } = await project("shop");
    const site = {
      "index.html": "<p>one</p>",
      "svc.toml": '[build]\nignore = "! grep -qv ^docs/ $SVC_CHANGED_FILES"\n',
    };
    assert.equal((await build(hook, site)).error, null);
    const docs = await build(hook, { "docs/a.txt": "a" });
    assert.equal(docs.status, "STOPPED");
    assert.match(docs.error!, /^Skipped: `! grep -qv/);
    const both = await build(hook, { "docs/a.txt": "b", "index.html": "<p>two</p>" });
    assert.equal(both.status, "LIVE");
    assert.match(textOf(await log(both.id)), /requests a build/);
    const preview = await build(hook, { "docs/a.txt": "c" }, "menu");
    assert.equal(preview.status, "LIVE", "a branch without a deployment requires a build");
  }));

Deno.test("a push with nothing to build succeeds and reports that nothing was built", () =>
  withBuilds(async (platform) => {
    const { api, folder, ended } = platform;
    const site = await makeRepository(`${folder}/work`);
    const { json: made } = await api("POST", "/v1/projects", {
      json: { name: "shop", ...SETTINGS },
    });
    assert.equal(made.workspace, "default");
    await site.commit("main", FILES);
    const first = await push(platform, site.path, "main");
    assert.equal(first.code, 0, first.text);
    await site.commit("main", { "apps/admin/index.html": "<p>two</p>" });
    const second = await push(platform, site.path, "main");
    assert.equal(second.code, 0, second.text);
    assert.match(second.text, /remote: svc: main was not built: Skipped: nothing changed since/);
    assert.match(
      second.text,
      /remote: svc: the previous deployment is still live\. Build anyway with `svc builds start --rebuild`/,
    );
    const forced = await api("POST", "/v1/projects/shop/builds", { json: { force: true } });
    assert.equal(forced.status, 200, JSON.stringify(forced.json));
    assert.equal((await ended(forced.json.id)).status, "LIVE");
  }));
