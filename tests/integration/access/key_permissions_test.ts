/** Tests API keys with permissions, projects and an expiry across the whole API. */
import assert from "node:assert/strict";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { endpoints } from "../../../src/contract/endpoints.ts";
import { PERMISSION_NAMES } from "../../../src/contract/permissions.ts";
import { lackedFor } from "../../../src/contract/endpoint_permissions.ts";
import {
  type ApiCaller,
  create,
  createProject,
  deploy,
  fileList,
  STATIC_MANIFEST,
  type TestPlatform,
  withPlatform,
  withPlatformInProcess,
} from "../../helpers/platform.ts";

const ALL = Object.entries(endpoints) as unknown as readonly (readonly [string, Endpoint])[];
const FILES = { "index.html": "<h1>hello</h1>" };

/** Creates a key, and returns a function that calls the API with this key. */
async function holderOf(
  platform: TestPlatform,
  wanted: Readonly<Record<string, unknown>>,
): Promise<ApiCaller & { readonly id: string }> {
  const { status, json } = await platform.api("POST", "/v1/api-keys", {
    json: { name: "a key", ...wanted },
  });
  assert.equal(status, 201, JSON.stringify(json));
  return {
    id: json.id,
    api: (method, path, options = {}) =>
      platform.api(method, path, { ...options, token: json.key }),
  };
}

Deno.test("every endpoint refuses a key without its permission, and names that permission", () =>
  withPlatform(async (platform) => {
    let refused = 0;
    for (const permission of PERMISSION_NAMES) {
      const holder = await holderOf(platform, { role: "owner", permissions: [permission] });
      for (const [name, endpoint] of ALL) {
        const { access, method, path } = endpoint;
        if (access === "anyone" || access === "account") continue;
        const lacked = lackedFor(endpoint, [permission]);
        if (lacked === undefined) continue;
        refused++;
        const { status, json } = await holder.api(
          method,
          path.replace(/\{\w+\}/g, "0".repeat(64)),
          method === "GET" || method === "DELETE" ? {} : { json: {} },
        );
        assert.equal(status, 403, `${name} with ${permission}: ${JSON.stringify(json)}`);
        const named = lacked.map((each) => `"${each}"`).join(" or ");
        const says = `it has "${permission}" in all projects, and lacks the permission ${named}`;
        assert.ok(json.error.endsWith(says), json.error);
      }
    }
    assert.ok(refused > 300, String(refused));
  }));

Deno.test("a key for previews can deploy previews but cannot change production", () =>
  withPlatform(async (platform) => {
    const project = await createProject(platform, "shop");
    const live = await deploy(platform, "shop", { files: FILES });
    const holder = await holderOf(platform, { permissions: ["deploy-previews"] });
    const preview = await deploy(holder, "shop", { files: FILES, prod: false, branch: "menu" });
    assert.equal(preview.status, "LIVE");
    const attempts = [
      await create(holder, "shop", { files: FILES }),
      await holder.api("POST", `/v1/deployments/${preview.id}/promote`, { json: {} }),
      await holder.api("POST", `/v1/deployments/${live.id}/stop`, { json: {} }),
      await holder.api("POST", `/v1/deployments/${live.id}/redeploy`, { json: {} }),
      await holder.api("POST", `/v1/deployments/${live.id}/activate`),
      await holder.api("POST", "/v1/projects/shop/rollback", { json: {} }),
    ];
    for (const { status, json } of attempts) {
      assert.equal(status, 403, JSON.stringify(json));
      assert.match(json.error, /lacks the permission "deploy-production"/);
    }
    const { json: environments } = await platform.api("GET", "/v1/projects/shop/environments");
    for (const { id, name } of environments.items) {
      const { status } = await holder.api("POST", "/v1/projects/shop/deployments", {
        json: { environment: id, manifest: STATIC_MANIFEST, files: fileList(FILES) },
      });
      assert.equal(status, name === "production" ? 403 : 201, name);
    }
    const after = await platform.api("GET", `/v1/projects/${project.id}/deployments`);
    const inProduction = after.json.items.filter((
      { environment }: { environment: string },
    ) => environment === "production");
    assert.deepEqual(inProduction.map(({ id }: { id: string }) => id), [live.id]);
    const production = await holderOf(platform, { permissions: ["deploy-production"] });
    assert.equal((await deploy(production, "shop", { files: FILES })).status, "LIVE");
    const { json } = await create(production, "shop", { files: FILES, prod: false });
    assert.match(json.error, /lacks the permission "deploy-previews"/);
  }));

Deno.test("a refusal reports the key's permissions and projects, and how to get access", () =>
  withPlatform(async (platform) => {
    const { id } = await createProject(platform, "shop");
    const permissions = ["deploy-previews", "rules"];
    const holder = await holderOf(platform, { permissions, projects: [id] });
    const { status, json } = await holder.api("GET", "/v1/projects/shop/databases");
    assert.equal(status, 403);
    assert.equal(
      json.error,
      'Cannot do this with this API key: it has "deploy-previews", "rules" in one project, and ' +
        'lacks the permission "read"',
    );
    assert.match(json.hint, /svc whoami\..* owner .*svc keys update --permission/);
  }));

Deno.test("a key limited to one project can neither see nor change others", () =>
  withPlatform(async (platform) => {
    const own = await createProject(platform, "own");
    await createProject(platform, "secret");
    const live = await deploy(platform, "secret", { files: FILES });
    const holder = await holderOf(platform, { role: "owner", projects: [own.id] });
    const { json: listed } = await holder.api("GET", "/v1/projects");
    assert.deepEqual(listed.items.map(({ name }: { name: string }) => name), ["own"]);
    for (const [, endpoint] of ALL) {
      const { access, method, path } = endpoint;
      if (access === "anyone" || access === "account") continue;
      const isNamed = /\{(project|deployment|build)\}/.test(path);
      if (!isNamed) continue;
      const { status, json } = await holder.api(
        method,
        path.replace("{project}", "secret").replace(/\{(deployment|build)\}/, live.id)
          .replace(/\{\w+\}/g, "x"),
        method === "GET" || method === "DELETE" ? {} : { json: {} },
      );
      assert.ok(status >= 400 && status < 500, `${method} ${path}: ${status}`);
      assert.ok(!JSON.stringify(json).includes("hello"), path);
    }
    const unknown = await holder.api("GET", `/v1/deployments/${live.id}`);
    assert.equal(unknown.status, 404);
    for (const path of ["/v1/webhooks", "/v1/api-keys", "/v1/deploy-hooks", "/v1/search?q=s"]) {
      const { status, json } = await holder.api("GET", path);
      assert.equal(status, 403, path);
      assert.match(json.error, /limited to projects/);
    }
    assert.equal((await deploy(holder, "own", { files: FILES })).status, "LIVE");
    const wrong = await platform.api("POST", "/v1/api-keys", {
      json: { name: "wrong", projects: [live.id] },
    });
    assert.equal(wrong.status, 404);
  }));

Deno.test("a limited key can list the projects that it can access, and see its limits", () =>
  withPlatform(async (platform) => {
    const made: { readonly id: string; readonly name: string }[] = [];
    for (const name of ["one", "two", "three", "four", "five", "six"]) {
      made.push(await createProject(platform, name));
    }
    const projects = [made[0]!.id, made[2]!.id, made[4]!.id];
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const holder = await holderOf(platform, { permissions: ["read"], projects, expiresAt });
    const seen: string[][] = [];
    for (let cursor: string | null = ""; cursor !== null && seen.length < 5;) {
      const at: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const { json } = await holder.api("GET", `/v1/projects?limit=2${at}`);
      seen.push(json.items.map(({ name }: { name: string }) => name));
      cursor = json.nextCursor;
    }
    assert.deepEqual(seen, [["five", "three"], ["one"]]);
    await platform.api("DELETE", "/v1/projects/three");
    const { json: left } = await holder.api("GET", "/v1/projects?limit=2");
    assert.deepEqual(left.items.map(({ name }: { name: string }) => name), ["five", "one"]);
    assert.equal(left.nextCursor, null);
    const { json: me } = await holder.api("GET", "/v1/me");
    assert.deepEqual(me.grant, { permissions: ["read"], projects, expiresAt });
  }));

Deno.test("changes to a key take effect immediately, and expired keys are refused", async () => {
  let now = Date.UTC(2026, 10, 23);
  await withPlatformInProcess(async (platform) => {
    const expiresAt = new Date(now + 60_000).toISOString();
    const holder = await holderOf(platform, {
      permissions: ["read"],
      description: "for the nightly run",
      expiresAt,
    });
    const create = () => holder.api("POST", "/v1/projects", { json: { name: "made" } });
    assert.equal((await create()).status, 403);
    const path = `/v1/api-keys/${holder.id}`;
    const changed = await platform.api("PATCH", path, { json: { permissions: ["everything"] } });
    assert.equal(changed.status, 200);
    assert.equal(changed.json.description, "for the nightly run");
    assert.equal(changed.json.expiresAt, expiresAt);
    assert.equal((await create()).status, 201);
    await platform.api("PATCH", path, { json: { permissions: ["read"], name: "renamed" } });
    assert.equal((await holder.api("DELETE", "/v1/projects/made")).status, 403);
    const { json } = await platform.api("GET", "/v1/api-keys");
    const shown = json.items.find(({ id }: { id: string }) => id === holder.id);
    assert.equal(shown.name, "renamed");
    assert.match(shown.lastAddress, /^127\.0\.0\.1$|^::1$/);
    now += 60_000;
    const late = await holder.api("GET", "/v1/projects");
    assert.equal(late.status, 401);
    assert.match(late.json.error, /expired/);
    const past = await platform.api("PATCH", path, { json: { expiresAt } });
    assert.equal(past.status, 400);
    assert.match(past.json.problems[0].message, /in the future/);
  }, { now: () => now });
});
