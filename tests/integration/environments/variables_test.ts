import assert from "node:assert/strict";
import { join } from "node:path";
import {
  createProject,
  deploy,
  rekey,
  start,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const SECRET = "correct-horse-battery-staple";

const set = (platform: TestPlatform, key: string, json: Record<string, unknown>) =>
  platform.api("PUT", `/v1/projects/shop/variables/${key}`, {
    json: { category: "plain", scope: "all", ...json },
  });

const exported = async (platform: TestPlatform, environment: string) =>
  (await platform.api("POST", "/v1/projects/shop/variables/export", { json: { environment } }))
    .json.variables;

Deno.test("more specific values take precedence, and each environment has its own values", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await set(platform, "API", { value: "for all" });
    await set(platform, "API", { value: "for production", scope: "production" });
    await set(platform, "KEY", { value: SECRET, category: "secret", scope: "preview" });
    assert.deepEqual(await exported(platform, "production"), { API: "for production" });
    assert.deepEqual(await exported(platform, "preview"), { API: "for all", KEY: SECRET });
    const seen = await platform.api("GET", "/v1/projects/shop/variables?environment=production");
    assert.deepEqual(
      seen.json.items.map((each: { key: string; scope: string }) => [each.key, each.scope]),
      [["API", "production"]],
    );
  }));

Deno.test("secrets are never shown and do not appear in the data directory", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const answer = await set(platform, "KEY", { value: SECRET, category: "secret" });
    assert.equal(answer.json.value, null);
    await deploy(platform, "shop", { files: { "index.html": "x" } });
    const list = await platform.api("GET", "/v1/projects/shop/variables");
    assert.ok(!JSON.stringify(list.json).includes(SECRET));
    assert.equal(list.json.items[0].category, "secret");
    const { stdout } = await new Deno.Command("grep", {
      args: ["-rlaF", SECRET, platform.dataDir],
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "");
    assert.ok(!platform.logged.join("\n").includes(SECRET));
  }));

Deno.test("changes that need a flag name it and have no effect without it", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await set(platform, "KEY", { value: "one", scope: "production" });
    const all = await set(platform, "KEY", { value: "two" });
    assert.deepEqual([all.status, all.json.code], [409, "conflict"]);
    assert.match(all.json.error, /its own value in production.*--replace-scope/);
    const secret = await set(platform, "KEY", {
      value: "two",
      category: "secret",
      scope: "production",
    });
    assert.match(secret.json.error, /is plain in production: pass --change-category/);
    assert.deepEqual(await exported(platform, "production"), { KEY: "one" });
    const forced = await set(platform, "KEY", {
      value: "two",
      category: "secret",
      replaceScope: true,
      changeCategory: true,
    });
    assert.deepEqual([forced.json.scope, forced.json.category], ["all", "secret"]);
    const list = await platform.api("GET", "/v1/projects/shop/variables");
    assert.equal(list.json.items.length, 1);
  }));

Deno.test("a deployment shows that its variables have changed", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await set(platform, "A", { value: "1" });
    const live = await deploy(platform, "shop", { files: { "index.html": "x" } });
    assert.equal(live.variablesChanged, false);
    const changed = async () =>
      (await platform.api("GET", `/v1/deployments/${live.id}`)).json.variablesChanged;
    await set(platform, "A", { value: "1" });
    await set(platform, "B", { value: "1", scope: "preview" });
    assert.equal(
      await changed(),
      false,
      "only different values in the same environment count as changes",
    );
    await set(platform, "A", { value: "2" });
    assert.equal(await changed(), true);
  }));

Deno.test("custom environments have their own variables, deployments and URL", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const made = await platform.api("POST", "/v1/projects/shop/environments", {
      json: { name: "staging" },
    });
    assert.equal(made.status, 201);
    for (const name of ["staging", "production", "all"]) {
      const again = await platform.api("POST", "/v1/projects/shop/environments", {
        json: { name },
      });
      assert.equal(again.status, 409, name);
    }
    await set(platform, "A", { value: "staging", scope: made.json.id });
    assert.deepEqual(await exported(platform, "staging"), { A: "staging" });
    const created = await platform.api("POST", "/v1/projects/shop/deployments", {
      json: {
        environment: "staging",
        manifest: { version: 1, layers: [], routes: [] },
        files: [],
      },
    });
    const live = await platform.api(
      "POST",
      `/v1/deployments/${created.json.deployment.id}/activate`,
    );
    assert.deepEqual([live.json.environment, live.json.isPreview], ["staging", true]);
    const host = new URL(made.json.url).hostname;
    const page = await platform.get(host, "/");
    assert.equal(page.headers["x-svc-deployment"], live.json.id);
    const path = "/v1/projects/shop/environments/staging";
    assert.equal((await platform.api("DELETE", path)).status, 204);
    assert.deepEqual((await platform.api("GET", "/v1/projects/shop/variables")).json.items, []);
    assert.equal((await platform.get(host, "/")).headers["x-svc-deployment"], undefined);
    const unknown = await platform.api("POST", "/v1/projects/shop/variables/export", {
      json: { environment: "staging" },
    });
    assert.match(unknown.json.error, /does not exist.*Available: production, preview/);
  }));

const bad = [
  ["1A", { value: "x" }, "key"],
  ["A-B", { value: "x" }, "key"],
  ["__proto__", { value: "x" }, "key"],
  ["A%3DB", { value: "x" }, "key"],
  ["A", { value: "x\0y" }, "value"],
  ["A", { value: "x".repeat(16 * 1024 + 1) }, "value"],
  ["A", { value: "é".repeat(9000) }, "value"],
  ["A", { value: "x", category: "sensitive" }, "category"],
] as const;

Deno.test("variable names and sizes are validated", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    for (const [key, json, field] of bad) {
      const answer = await set(platform, key, json);
      assert.deepEqual([answer.status, answer.json.code], [400, "invalid_request"]);
      assert.ok(answer.json.error.includes(field), answer.json.error);
    }
    const value = "x".repeat(16 * 1024);
    for (const key of ["A", "B"]) assert.equal((await set(platform, key, { value })).status, 200);
    const full = await set(platform, "C", { value });
    assert.match(full.json.error, /at most 49152 bytes/);
    assert.equal((await platform.api("DELETE", "/v1/projects/shop/variables/Z")).status, 404);
  }));

Deno.test("variables are sorted by name and listed in pages", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    for (const key of ["C", "A", "B"]) await set(platform, key, { value: key });
    const first = await platform.api("GET", "/v1/projects/shop/variables?limit=2");
    assert.deepEqual(first.json.items.map((each: { key: string }) => each.key), ["A", "B"]);
    const cursor = encodeURIComponent(first.json.nextCursor);
    const second = await platform.api("GET", `/v1/projects/shop/variables?cursor=${cursor}`);
    assert.deepEqual(second.json.items.map((each: { key: string }) => each.key), ["C"]);
    assert.equal(second.json.nextCursor, null);
  }));

Deno.test("re-keying keeps every secret readable and deletes the old key", async () => {
  await inTestFolder(async (dataDir) => {
    const first = await start(dataDir);
    await createProject(first, "shop");
    await set(first, "KEY", { value: SECRET, category: "secret" });
    const live = await deploy(first, "shop", { files: { "index.html": "x" } });
    await assert.rejects(rekey(dataDir), /another svc serve is using it/);
    await first.shutdown();
    const before = JSON.parse(await Deno.readTextFile(join(dataDir, "keys.json")));
    assert.equal(
      await rekey(dataDir),
      2,
      "the variable and the deployment's copy are encrypted again",
    );
    const after = JSON.parse(await Deno.readTextFile(join(dataDir, "keys.json")));
    assert.equal(after.keys.length, 1);
    assert.notEqual(after.keys[0].id, before.keys[0].id);
    const second = await start(dataDir);
    assert.deepEqual(await exported(second, "production"), { KEY: SECRET });
    const { json } = await second.api("GET", `/v1/deployments/${live.id}`);
    assert.equal(json.variablesChanged, false);
    await second.shutdown();
  });
});
