/**
 * Tests what builds from git leave behind: everything that a rollback needs, and nothing after the
 * project is deleted.
 */
import assert from "node:assert/strict";
import { type BuildPlatform, withBuilds } from "../../helpers/git_builds.ts";
import { keys } from "../../../src/platform/core/store/mod.ts";
import { PortableStore } from "../../../src/platform/core/store/portable_store.ts";
import { serveGit } from "../../../src/lib/_test_git.ts";
import { start } from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { DenoStore } from "../../../src/store/mod.ts";

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "hello"
condition = { path = { type = "exact", value = "/hello" } }
action = { type = "pipeline", steps = [{ handle = "hello" }] }
`;

const SITE = {
  "svc.rules.toml": RULES,
  "functions/hello.js": "export default (_, { env }) => new Response(`runs with ${env.GREETING}`);",
};

const SETTINGS = {
  buildCommand: "mkdir out; echo built with $GREETING > out/index.html",
  outputDirectory: "out",
};

async function setGreeting({ api }: BuildPlatform, project: string, value: string) {
  const json = { value, category: "secret", scope: "all" };
  const { status } = await api("PUT", `/v1/projects/${project}/variables/GREETING`, { json });
  assert.ok(status < 300, String(status));
}

const pages = async ({ get }: BuildPlatform) => [
  (await get("shop.localhost", "/")).text.trim(),
  (await get("shop.localhost", "/hello")).text,
];

Deno.test("a rollback takes less than a second and restores the build's variables", () =>
  withBuilds(async (platform) => {
    const { project, build, api } = platform;
    const { id, hook } = await project("shop", SETTINGS);
    await setGreeting(platform, id, "one");
    const first = await build(hook, SITE);
    assert.equal(first.error, null);
    // The state becomes LIVE in the store a moment before the edge has loaded the deployment.
    await until(() => pages(platform), ([page]) => page === "built with one");
    assert.deepEqual(await pages(platform), ["built with one", "runs with one"]);
    await setGreeting(platform, id, "two");
    assert.equal((await build(hook, { "note.txt": "two" })).error, null);
    await until(() => pages(platform), ([page]) => page === "built with two");
    assert.deepEqual(await pages(platform), ["built with two", "runs with two"]);
    await setGreeting(platform, id, "three");
    const builds = async () => (await api("GET", "/v1/projects/shop/builds")).json.items.length;
    const before = await builds();
    const { json } = await api("POST", "/v1/projects/shop/rollback", { json: {} });
    const [page] = await pages(platform);
    assert.equal(json.deployment.id, first.id);
    assert.equal(page, "built with one");
    assert.equal(await builds(), before, "the rollback does not start a build");
    assert.deepEqual(await pages(platform), ["built with one", "runs with one"]);
  }));

/** Returns the paths of all files and folders below a folder whose names contain `text`. */
async function pathsWith(folder: string, text: string, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${folder}${below}`)) {
    const path = `${below}/${name}`;
    if (name.includes(text)) found.push(path);
    if (isDirectory) found.push(...await pathsWith(folder, text, path));
  }
  return found;
}

Deno.test("a deleted project leaves no mirror, cache, log, hook, build or credential", () =>
  withBuilds(async (platform) => {
    const { project, build, api, trigger, folder, dataDir, repository } = platform;
    await using server = serveGit(folder, { basic: "ada:s3cret-token" });
    const gitUrl = `${server.url}/site/.git`;
    const { id, hook } = await project("shop", { ...SETTINGS, gitUrl });
    const { status } = await api("PUT", `/v1/projects/${id}/git-credentials`, {
      json: { type: "https", username: "ada", token: "s3cret-token" },
    });
    assert.ok(status < 300);
    const built = await build(hook, SITE);
    assert.equal(built.error, null);
    const commitSha = await repository.commit("slow", { "index.html": "slow" });
    await api("PATCH", `/v1/projects/${id}`, { json: { buildCommand: "sleep 600" } });
    const running = await trigger(hook, { branch: "slow", commitSha });
    assert.equal(running.status, 200);
    const before = await pathsWith(dataDir, id);
    for (const folder of ["git", "build_cache", "build_logs"]) {
      assert.ok(before.some((path) => path.startsWith(`/${folder}/`)), `${folder}: ${before}`);
    }
    assert.equal((await api("DELETE", `/v1/projects/${id}`)).status, 204);
    assert.deepEqual(await pathsWith(dataDir, id), []);
    assert.deepEqual(await pathsWith(`${dataDir}/builds`, ""), []);
    const late = await trigger(hook, { branch: "main", commitSha });
    assert.equal(late.status, 401);
    for (const path of [`/v1/builds/${built.id}`, `/v1/deployments/${running.id}/build-log`]) {
      assert.equal((await api("GET", path)).status, 404, path);
    }
    assert.deepEqual((await api("GET", "/v1/deploy-hooks")).json.items, []);
    await platform.shutdown();
    using kv = new PortableStore(await DenoStore.open(`${dataDir}/kv.sqlite3`));
    const left: string[] = [];
    for await (const { key, value } of kv.list({ prefix: [] })) {
      // These records remain: people keep their notifications, and the audit log still names the
      // deleted project.
      if (["event_by_key", "notifications", "audit"].includes(String(key[0]))) continue;
      const text = JSON.stringify(
        [key, value],
        (_, part) => typeof part === "bigint" ? String(part) : part,
      );
      if (text.includes(id) || text.includes(built.id)) left.push(JSON.stringify(key));
    }
    assert.deepEqual(left, []);
  }));

Deno.test("the next start completes a deletion that a crash interrupted, including folders", () =>
  withBuilds(async (platform) => {
    const { project, build, api, folder, dataDir } = platform;
    const { id, hook } = await project("shop", SETTINGS);
    assert.equal((await build(hook, SITE)).error, null);
    const { json: workspaces } = await api("GET", "/v1/workspaces");
    await platform.shutdown();
    const kv = new PortableStore(await DenoStore.open(`${dataDir}/kv.sqlite3`));
    // Performs only the first commit of a deletion.
    await kv.atomic()
      .delete(keys.project(workspaces.items[0].id, id))
      .delete(keys.projectByName("shop"))
      .set(keys.deletion(id), { deletedAt: 1 })
      .commit();
    kv.close();
    const second = await start(dataDir, { gitRoots: [folder] });
    try {
      assert.deepEqual(await pathsWith(dataDir, id), []);
      assert.equal((await second.get("shop.localhost", "/")).status, 404);
    } finally {
      await second.shutdown();
    }
  }));
