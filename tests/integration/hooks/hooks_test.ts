import assert from "node:assert/strict";
import { signUpWithWorkspace } from "../../helpers/browser.ts";
import { withHooks } from "../../helpers/deploy_hooks.ts";
import { rawRequest } from "../../helpers/platform.ts";

const HEAD = { branch: "main", commitSha: "" };
const hostOf = (url: string) => new URL(url).hostname;

Deno.test("a hook is created, listed with its last use, renamed, regenerated and deleted", () =>
  withHooks(async ({ api, hook, trigger, ended, repository }) => {
    const sha = await repository.git("rev-parse", "main");
    const made = await hook({ name: "content", scope: "Production" });
    assert.match(made.url, /^http:\/\/localhost:\d+\/v1\/hooks\/[0-9a-f]{64}$/);
    assert.deepEqual([made.triggeredCount, made.lastTriggeredAt], [0, null]);
    assert.deepEqual([made.name, made.branch, made.scope], ["content", "main", "Production"]);
    await ended(await trigger(made.url, { branch: "main", commitSha: sha }));
    await trigger(made.url, { branch: "main", commitSha: sha });
    await trigger(made.url, { branch: "main", commitSha: "zzz" });

    const { json: listed } = await api("GET", "/v1/deploy-hooks?projectId=shop");
    assert.equal(listed.items.length, 1);
    assert.equal(listed.items[0].triggeredCount, 2, "refused triggers do not count as uses");
    assert.ok(Date.now() - Date.parse(listed.items[0].lastTriggeredAt) < 60_000);
    assert.ok(!("url" in listed.items[0]) && !JSON.stringify(listed).includes("oken"));

    const path = `/v1/deploy-hooks/${made.id}`;
    const renamed = await api("PATCH", path, { json: { name: "cms" } });
    assert.equal(renamed.json.name, "cms");
    assert.equal((await api("GET", path)).json.name, "cms");

    const again = await api("POST", `${path}/regenerate`);
    assert.notEqual(again.json.url, made.url);
    const old = await trigger(made.url, { branch: "main", commitSha: sha });
    assert.deepEqual([old.status, old.json.error], [401, "Invalid token"]);
    assert.match(old.json.hint, /^Check the URL/);
    assert.equal((await trigger(again.json.url, { branch: "main", commitSha: sha })).status, 200);

    assert.equal((await api("DELETE", path)).status, 204);
    assert.equal((await trigger(again.json.url, HEAD)).json.error, "Invalid token");
    assert.equal((await api("GET", path)).status, 404);
    assert.equal((await api("DELETE", path)).status, 404);
  }));

Deno.test("a trigger returns the specified response, and the deployment goes live", () =>
  withHooks(async ({ hook, trigger, ended, shows, api, repository }) => {
    const sha = await repository.git("rev-parse", "main");
    const feature = await repository.commit("feature/x", { "index.html": "<p>x</p>" });
    const { url } = await hook();
    const production = await trigger(url, {
      branch: "main",
      commitSha: sha.slice(0, 7),
      message: "Release",
      author: "Ada",
      unknown: "fields are ignored",
    });
    assert.equal(production.status, 200);
    const { json } = production;
    assert.match(json.id, /^[0-9a-f-]{36}$/);
    assert.deepEqual([json.status, json.isPreview, json.commitSha], ["PENDING", false, sha]);
    assert.equal(json.url, json.urls.unique);
    assert.equal(hostOf(json.urls.branch), "shop-git-main.localhost");
    assert.equal(hostOf(json.urls.production), "shop.localhost");
    assert.equal(typeof json.message, "string");
    assert.ok(!json.statusUrl.includes(new URL(url).pathname.split("/").at(-1)));
    const live = await ended(production);
    assert.equal(live.status, "LIVE");
    for (const address of Object.values<string>(json.urls)) {
      await shows(hostOf(address), `<p>main ${sha}</p>`);
    }
    const { json: shown } = await api("GET", `/v1/deployments/${json.id}`);
    assert.deepEqual([shown.message, shown.author, shown.commitSha], ["Release", "Ada", sha]);
    assert.equal(shown.fileCount, 1);

    const preview = await trigger(url, { branch: "feature/x", commitSha: feature });
    assert.equal(preview.json.isPreview, true);
    await ended(preview);
    await shows(hostOf(preview.json.url), `<p>feature/x ${feature}</p>`);
    await shows("shop.localhost", `<p>main ${sha}</p>`);
  }));

const SCOPES = [
  ["Production", "main", 200, false],
  [
    "Production",
    "feature/x",
    403,
    "Hook is scoped to PRODUCTION, but branch 'feature/x' is not production branch",
  ],
  ["Preview", "main", 200, true],
  ["Preview", "feature/x", 200, true],
  ["All", "main", 200, false],
  ["All", "feature/x", 200, true],
] as const;

Deno.test("scopes determine whether production or a preview is deployed", () =>
  withHooks(async ({ hook, trigger, ended, repository }) => {
    const shas = {
      main: await repository.git("rev-parse", "main"),
      "feature/x": await repository.commit("feature/x", { "index.html": "<p>x</p>" }),
    };
    for (const [scope, branch, status, wanted] of SCOPES) {
      const { url } = await hook({ scope });
      const answer = await trigger(url, { branch, commitSha: shas[branch], force: true });
      assert.equal(answer.status, status, `${scope} ${branch}`);
      assert.equal(status === 200 ? answer.json.isPreview : answer.json.error, wanted);
      if (status === 403) assert.match(answer.json.hint, /^Trigger it for branch 'main'/);
      if (status === 200) await ended(answer);
    }
    const { url } = await hook({ branch: "release/*" });
    const refused = await trigger(url, { branch: "main", commitSha: shas.main });
    assert.deepEqual([refused.status, refused.json.code], [403, "forbidden"]);
    assert.match(refused.json.error, /restricted to branch 'release\/\*'/);
  }));

Deno.test("a trigger without a commit is refused because the contract requires one", () =>
  withHooks(async ({ hook, trigger }) => {
    const { url } = await hook({ scope: "Preview" });
    for (const body of [{ branch: "main" }, { branch: "main", commitSha: null }]) {
      const { status, json } = await trigger(url, body);
      assert.deepEqual([status, json.code], [400, "invalid_request"]);
      assert.match(JSON.stringify(json.problems), /body\.commitSha/);
    }
  }));

const BAD_BODIES: readonly [string, Record<string, unknown>, string[]][] = [
  ["nothing", {}, ["body.branch", "body.commitSha"]],
  ["a SHA that is null", { commitSha: null }, ["body.commitSha"]],
  ["a SHA without digits", { commitSha: "" }, ["body.commitSha"]],
  ["a SHA that is a word", { commitSha: "latest" }, ["body.commitSha"]],
  ["a SHA of 6 digits", { commitSha: "abcdef" }, ["body.commitSha"]],
  ["a SHA of 41 digits", { commitSha: "a".repeat(41) }, ["body.commitSha"]],
  ["a SHA that is a number", { commitSha: 1234567 }, ["body.commitSha"]],
  ["a branch that is an option", { branch: "--upload-pack=id" }, ["body.branch"]],
  ["a branch with a space", { branch: "a b" }, ["body.branch"]],
  ["a branch with dot segments", { branch: "a/../b" }, ["body.branch"]],
  ["a branch of 256 characters", { branch: "b".repeat(256) }, ["body.branch"]],
  ["a message of 501 characters", { message: "m".repeat(501) }, ["body.message"]],
  ["an author of 201 characters", { author: "a".repeat(201) }, ["body.author"]],
  ["force as text", { force: "true" }, ["body.force"]],
  ["everything at once", { commitSha: "x", branch: "-", message: 1, author: 2, force: 3 }, [
    "body.author",
    "body.branch",
    "body.commitSha",
    "body.force",
    "body.message",
  ]],
];

Deno.test("validation of a body reports one message for each invalid field", () =>
  withHooks(async ({ hook, trigger, api }) => {
    const { url } = await hook();
    const good = { commitSha: "a".repeat(40), branch: "main" };
    for (const [name, change, paths] of BAD_BODIES) {
      const body = name === "nothing" ? {} : { ...good, ...change };
      const { status, json } = await trigger(url, body);
      assert.deepEqual([status, json.code], [400, "invalid_request"], name);
      const problems = json.problems.map(({ path }: { path: string }) => path).sort();
      assert.deepEqual(problems, paths, name);
    }
    const path = new URL(url).pathname;
    const send = (body: string, type?: string) =>
      api("POST", path, {
        token: null,
        body: new Blob([body]),
        headers: type === undefined ? {} : { "content-type": type },
      });
    assert.equal((await send(JSON.stringify(good), "text/plain")).status, 415);
    assert.equal((await send("{", "application/json")).status, 400);
    assert.equal((await send("null", "application/json")).status, 400);
    assert.equal((await send("", "application/json")).status, 400);
    const large = JSON.stringify({ ...good, padding: "x".repeat(70_000) });
    assert.equal((await send(large, "application/json")).status, 413);
  }));

Deno.test("length limits are inclusive", () =>
  withHooks(async ({ hook, trigger, ended, api, repository }) => {
    const sha = await repository.git("rev-parse", "main");
    const { url } = await hook();
    const message = "m".repeat(500);
    const author = "a".repeat(200);
    const answer = await trigger(url, { branch: "main", commitSha: sha, message, author });
    assert.equal(answer.status, 200);
    await ended(answer);
    const { json } = await api("GET", `/v1/deployments/${answer.json.id}`);
    assert.deepEqual([json.message, json.author], [message, author]);
  }));

Deno.test("repository errors have the specified messages", () =>
  withHooks(async ({ hook, trigger, api, repository, folder }) => {
    const sha = await repository.git("rev-parse", "main");
    const other = await repository.commit("other", { "other.txt": "other" });
    const { url } = await hook();
    const expect = async (body: Record<string, unknown>, status: number, message: RegExp) => {
      const answer = await trigger(url, body);
      assert.equal(answer.status, status, JSON.stringify(answer.json));
      assert.match(answer.json.error, message);
      return answer.json;
    };
    await expect({ branch: "absent", commitSha: sha }, 404, /^Branch not found$/);
    await expect({ branch: "main", commitSha: "0".repeat(40) }, 404, /^Commit 0{40} not found$/);
    await expect({ branch: "main", commitSha: other }, 400, /is not on branch 'main'$/);
    const gone = `${folder}/gone.git`;
    await api("PATCH", "/v1/projects/shop", { json: { gitUrl: gone } });
    await expect({ branch: "main", commitSha: sha }, 404, /^Branch not found$/);
    await api("PATCH", "/v1/projects/shop", { json: { gitUrl: null } });
    await expect({ branch: "main", commitSha: sha }, 404, /^Branch not found$/);
  }));

Deno.test("all unknown tokens get the same response, regardless of their format", () =>
  withHooks(async ({ hook, trigger, port }) => {
    const { url } = await hook();
    const base = url.slice(0, -64);
    const token = url.slice(-64);
    const tokens = [
      "0".repeat(64),
      token.slice(0, 63),
      `${token}0`,
      token.toUpperCase() + "0",
      "x",
    ];
    for (const guess of tokens) {
      const { status, json, headers } = await trigger(base + guess, { any: "body" });
      const { error, code } = json;
      assert.deepEqual([status, error, code], [401, "Invalid token", "unauthorized"]);
      assert.equal(headers.get("cache-control"), "no-store");
    }
    const get = await rawRequest(port, { host: "localhost", path: new URL(url).pathname });
    assert.deepEqual([get.status, get.headers.allow], [405, "OPTIONS, POST"]);
    assert.ok(!get.text.includes(token), "the response does not repeat the token");
  }));

Deno.test("a session must name a workspace, and a key applies only to its own", () =>
  withHooks(async (platform) => {
    const { browser } = await signUpWithWorkspace(platform, "ada");
    const without = await browser.send("GET", "/v1/deploy-hooks");
    assert.deepEqual([without.status, without.json.error], [400, "X-Workspace header is required"]);
    assert.equal((await browser.send("GET", "/v1/deploy-hooks", { workspace: "ada" })).status, 200);
    const query = await browser.send("GET", "/v1/deploy-hooks?workspace=ada");
    assert.deepEqual([query.status, query.json.items], [200, []]);
    const made = await platform.hook();
    const foreign = `/v1/deploy-hooks/${made.id}`;
    for (const [method, path] of [["GET", foreign], ["DELETE", foreign]] as const) {
      assert.equal((await browser.send(method, path, { workspace: "ada" })).status, 404);
    }
    assert.equal((await platform.api("GET", "/v1/deploy-hooks", { token: null })).status, 401);
  }));
