import assert from "node:assert/strict";
import { endpoints } from "../../../src/contract/endpoints.ts";
import { createProject, deploy, start, TOKEN, withPlatform } from "../../helpers/platform.ts";

Deno.test("requests without a valid key are refused with a hint about what to send", () =>
  withPlatform(async (platform) => {
    for (const token of [null, "svc_wrong", `${TOKEN}x`]) {
      const answer = await platform.api("GET", "/v1/projects", { token });
      assert.deepEqual([answer.status, answer.json.code], [401, "unauthorized"]);
      assert.equal(answer.headers.get("www-authenticate"), "Bearer");
      assert.match(answer.json.error, /Authorization: Bearer/);
      assert.ok(!JSON.stringify(answer.json).includes("svc_wrong"));
    }
    const basic = await platform.api("GET", "/v1/me", {
      token: null,
      headers: { authorization: "Basic abc" },
    });
    assert.equal(basic.status, 401);
  }));

Deno.test("a key works only in its own workspace", () =>
  withPlatform(async (platform) => {
    const me = await platform.api("GET", "/v1/me", { headers: { "x-workspace": "default" } });
    assert.equal(me.json.workspace.slug, "default");
    assert.equal(me.json.workspace.role, "owner");
    const other = await platform.api("GET", "/v1/me", { headers: { "x-workspace": "other" } });
    assert.deepEqual([other.status, other.json.code], [403, "forbidden"]);
    assert.match(other.json.hint, /a key or token for "other"/);
  }));

Deno.test("the key is stored as a hash, and no file in the data directory contains the key", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "index.html": "x" } });
    const { stdout } = await new Deno.Command("grep", {
      args: ["-rlaF", TOKEN, platform.dataDir],
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "");
  }));

Deno.test("a short SVC_BOOTSTRAP_TOKEN is refused", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-test-" });
  await assert.rejects(start(dataDir, { bootstrapToken: "short" }), /at least 20 characters/);
  const platform = await start(dataDir);
  assert.equal(platform.token, TOKEN);
  await platform.shutdown();
  await Deno.remove(dataDir, { recursive: true });
});

Deno.test("projects are created, listed in pages, changed and deleted", () =>
  withPlatform(async (platform) => {
    for (let n = 0; n < 5; n++) await createProject(platform, `p${n}`);
    const names: string[] = [];
    let cursor = "";
    do {
      const page = await platform.api("GET", `/v1/projects?limit=2${cursor}`);
      names.push(...page.json.items.map((project: { name: string }) => project.name));
      cursor = page.json.nextCursor === null
        ? ""
        : `&cursor=${encodeURIComponent(page.json.nextCursor)}`;
    } while (cursor !== "");
    assert.deepEqual(names, ["p4", "p3", "p2", "p1", "p0"]);
    const changed = await platform.api("PATCH", "/v1/projects/p1", {
      json: { displayName: "First", nodeVersion: "24", buildCommand: null },
    });
    assert.equal(changed.json.displayName, "First");
    const byId = await platform.api("GET", `/v1/projects/${changed.json.id}`);
    assert.deepEqual(byId.json, changed.json);
    assert.equal((await platform.api("DELETE", "/v1/projects/p1")).status, 204);
    assert.equal((await platform.api("GET", "/v1/projects/p1")).status, 404);
  }));

const badProjects = [
  [{}, "body.name"],
  [{ name: "Shop" }, "body.name"],
  [{ name: "x".repeat(41) }, "body.name"],
  [{ name: "shop", color: "red" }, "color"],
  [{ name: "shop", framework: "rails" }, "body.framework"],
  [{ name: "shop", outputDirectory: "../up" }, "body.outputDirectory"],
  [{ name: "shop", branch: "--upload-pack=x" }, "body.branch"],
  [{ name: "shop", nodeVersion: "latest" }, "body.nodeVersion"],
] as const;

Deno.test("an invalid project is refused, and the response names the field", () =>
  withPlatform(async (platform) => {
    for (const [json, field] of badProjects) {
      const answer = await platform.api("POST", "/v1/projects", { json });
      assert.deepEqual([answer.status, answer.json.code], [400, "invalid_request"]);
      assert.ok(answer.json.error.includes(field), `${answer.json.error} names ${field}`);
    }
    await createProject(platform, "shop");
    const taken = await platform.api("POST", "/v1/projects", { json: { name: "shop" } });
    assert.deepEqual([taken.status, taken.json.code], [409, "conflict"]);
    const reserved = await platform.api("POST", "/v1/projects", { json: { name: "api" } });
    assert.equal(reserved.status, 409);
  }));

Deno.test("malformed requests are refused, and the error names the cause", () =>
  withPlatform(async (platform) => {
    const notJson = await platform.api("POST", "/v1/projects", {
      body: "{",
      headers: { "content-type": "application/json" },
    });
    assert.match(notJson.json.error, /Cannot read the body as JSON/);
    const noType = await platform.api("POST", "/v1/projects", { body: "{}" });
    assert.equal(noType.status, 415);
    const coded = await platform.api("POST", "/v1/projects", {
      body: "\x1f\x8b",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
    });
    assert.equal(coded.status, 415);
    assert.match(coded.json.error, /Send the body without Content-Encoding, not with gzip/);
    const unknown = await platform.api("GET", "/v1/nothing");
    assert.deepEqual([unknown.status, unknown.json.code], [404, "not_found"]);
    const method = await platform.api("PUT", "/v1/projects");
    assert.equal(method.status, 405);
    assert.equal(method.headers.get("allow"), "GET, HEAD, OPTIONS, POST");
    const limit = await platform.api("GET", "/v1/projects?limit=1000");
    assert.match(limit.json.error, /query\.limit/);
    const cursor = await platform.api("GET", "/v1/projects?cursor=%00%01");
    assert.equal(cursor.status, 400);
  }));

Deno.test("query parameters are strictly validated, and null is not a valid body", () =>
  withPlatform(async (platform) => {
    const refused = async (path: string, message: RegExp) => {
      const { status, json } = await platform.api("GET", path);
      assert.deepEqual([status, json.code], [400, "invalid_request"], path);
      assert.match(json.error, message);
    };
    for (const text of ["0x10", "1e1", "", "%205", "5%20", "+5", "-1", "1.0", "٣", "Infinity"]) {
      for (const list of ["projects", "notifications", "deploy-hooks"]) {
        await refused(`/v1/${list}?limit=${text}`, /query\.limit: Must be a whole number/);
      }
      await refused(`/v1/notifications?offset=${text}`, /query\.offset/);
    }
    await refused("/v1/projects?limit=0", /query\.limit/);
    await refused("/v1/projects?limit=5&limit=6", /query\.limit: Must appear once/);
    assert.equal((await platform.api("GET", "/v1/projects?limit=010")).status, 200);
    const writing = Object.values(endpoints).filter(({ body, bodyKind, auth, path }) =>
      body.type !== "undefined" && bodyKind === "json" && auth === "bearer" &&
      !path.includes("{")
    );
    assert.ok(writing.length > 15);
    for (const { method, path, access } of writing) {
      if (access === "account") continue;
      const { status, json } = await platform.api(method, path, { json: null });
      assert.deepEqual([status, json.code], [400, "invalid_request"], `${method} ${path}`);
    }
  }));

Deno.test("notifications are paginated like every list, and also by offset", () =>
  withPlatform(async (platform) => {
    for (let n = 0; n < 7; n++) {
      await platform.api("POST", "/v1/events", {
        json: { event: "system.maintenance_scheduled", data: { detail: `n${n}` } },
      });
    }
    const all = (await platform.api("GET", "/v1/notifications?limit=100")).json;
    const ids = all.items.map(({ id }: { id: string }) => id);
    assert.deepEqual([ids.length, all.nextCursor, all.total], [7, null, 7]);
    const walked: string[] = [];
    let cursor = "";
    do {
      const { json } = await platform.api("GET", `/v1/notifications?limit=3${cursor}`);
      walked.push(...json.items.map(({ id }: { id: string }) => id));
      cursor = json.nextCursor === null ? "" : `&cursor=${json.nextCursor}`;
    } while (cursor !== "");
    assert.deepEqual(walked, ids);
    const offset = (await platform.api("GET", "/v1/notifications?limit=3&offset=5")).json;
    assert.deepEqual(offset.items.map(({ id }: { id: string }) => id), ids.slice(5));
    const both = await platform.api("GET", `/v1/notifications?offset=1&cursor=${ids[0]}`);
    assert.match(both.json.error, /query\.offset: Must not be combined with cursor/);
  }));

Deno.test("responses state a key's rate limit, and an Idempotency-Key creates a project once", () =>
  withPlatform(async (platform) => {
    const send = (key: string, name: string) =>
      platform.api("POST", "/v1/projects", { json: { name }, headers: { "idempotency-key": key } });
    const first = await send("k1", "shop");
    assert.equal(first.headers.get("ratelimit-policy"), '"api-key";q=5000;w=3600');
    assert.match(first.headers.get("ratelimit")!, /^"api-key";r=4999;t=3600$/);
    const again = await send("k1", "shop");
    assert.deepEqual([again.status, again.json], [201, first.json]);
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    assert.match(again.headers.get("ratelimit")!, /;r=4998;/);
    assert.notEqual(
      again.headers.get("x-svc-request-id"),
      first.headers.get("x-svc-request-id"),
    );
    assert.equal((await send("k1", "other")).status, 409);
    assert.equal(
      (await send("k2", "shop")).status,
      409,
      "a different key identifies a different request",
    );
    const secret = await platform.api("POST", "/v1/sign-in", {
      token: null,
      json: { email: "ada@example.com", password: "x" },
      headers: { "idempotency-key": "k" },
    });
    assert.equal(secret.status, 400);
    assert.match(secret.json.error, /POST \/v1\/sign-in does not support Idempotency-Key/);
  }));

Deno.test("anyone can get the OpenAPI document, which contains this platform's URL", () =>
  withPlatform(async (platform) => {
    const { status, json } = await platform.api("GET", "/v1/openapi.json", { token: null });
    assert.equal(status, 200);
    assert.equal(json.openapi, "3.1.0");
    assert.equal(json.servers[0].url, platform.url);
    assert.ok("/v1/projects/{project}/deployments" in json.paths);
  }));

Deno.test("the base URL shows people a page", () =>
  withPlatform(async (platform) => {
    const page = await platform.get("localhost", "/");
    assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
    assert.match(page.text, /svc is up/);
    assert.ok(page.text.includes(platform.url));
  }));
