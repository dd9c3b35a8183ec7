import assert from "node:assert/strict";
import {
  create,
  createProject,
  deploy,
  fileList,
  rawRequest,
  sha256,
  start,
  STATIC_MANIFEST,
  upload,
  withPlatform,
} from "../../helpers/platform.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const hostOf = (url: string) => new URL(url).hostname;
const site = (text: string) => ({ "index.html": `<p>${text}</p>`, "about.html": "<p>about</p>" });

Deno.test("a deployment goes live on its unique, branch and production hosts", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const live = await deploy(platform, "shop", { files: site("one") });
    assert.equal(live.status, "LIVE");
    assert.equal(live.isProduction, true);
    for (const url of [live.urls.unique, live.urls.branch, live.urls.production]) {
      const page = await platform.get(hostOf(url), "/");
      assert.equal(page.text, "<p>one</p>", url);
      assert.equal(page.headers["x-svc-deployment"], live.id);
      assert.ok(page.headers["x-svc-request-id"]);
    }
    assert.equal(hostOf(live.urls.branch), "shop-git-main.localhost");
    assert.equal((await platform.get("shop.localhost", "/about")).text, "<p>about</p>");
    assert.equal((await platform.get("other.localhost", "/")).status, 404);
  }));

Deno.test("a preview leaves production unchanged", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: site("one") });
    const preview = await deploy(platform, "shop", {
      files: site("two"),
      prod: false,
      branch: "feature/x",
    });
    assert.equal(preview.isPreview, true);
    assert.equal((await platform.get("shop.localhost", "/")).text, "<p>one</p>");
    assert.equal((await platform.get(hostOf(preview.url), "/")).text, "<p>two</p>");
    assert.match(hostOf(preview.urls.branch), /^shop-git-feature-x-[0-9a-f]{6}\.localhost$/);
    assert.equal((await platform.get(hostOf(preview.urls.branch), "/")).text, "<p>two</p>");
  }));

Deno.test("deployments are listed by branch, environment, status and commit", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const main = await deploy(platform, "shop", { files: site("one") });
    const preview = await deploy(platform, "shop", {
      files: site("two"),
      prod: false,
      branch: "feature/x",
    });
    const list = async (query: string) => {
      const { status, json } = await platform.api("GET", `/v1/projects/shop/deployments?${query}`);
      return status === 200 ? json.items.map((item: { readonly id: string }) => item.id) : status;
    };
    assert.deepEqual(await list("branch=feature/x"), [preview.id]);
    assert.deepEqual(await list("environment=production"), [main.id]);
    assert.deepEqual(await list("status=LIVE"), [preview.id, main.id]);
    assert.deepEqual(await list("status=LIVE&limit=1"), [preview.id]);
    assert.deepEqual(await list("status=LIVE&branch=main"), [main.id]);
    assert.deepEqual(await list("sha=8f14e45"), []);
    assert.equal(await list("environment=staging"), 404);
    assert.equal(await list("status=GONE"), 400);
    assert.equal(await list("sha=MAIN"), 400);
  }));

Deno.test("only missing blobs are requested, and a deployment can be resumed", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const files = site("one");
    const first = await create(platform, "shop", { files });
    assert.deepEqual(first.json.missing.sort(), Object.values(files).map(sha256).sort());
    await upload(platform, { "index.html": files["index.html"] });
    const again = await create(platform, "shop", { files });
    assert.deepEqual(again.json.missing, [sha256(files["about.html"])]);
  }));

Deno.test("activation is refused while blobs are missing, and nothing becomes visible", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const { json } = await create(platform, "shop", { files: site("one") });
    const path = `/v1/deployments/${json.deployment.id}/activate`;
    const refused = await platform.api("POST", path);
    assert.deepEqual([refused.status, refused.json.code], [409, "blobs_missing"]);
    assert.equal((await platform.get("shop.localhost", "/")).status, 404);
    await upload(platform, site("one"));
    assert.equal((await platform.api("POST", path)).json.status, "LIVE");
    assert.equal(
      (await platform.api("POST", path)).json.status,
      "LIVE",
      "activating a live deployment again has no effect",
    );
  }));

Deno.test("a blob whose content does not match its hash is refused", () =>
  withPlatform(async (platform) => {
    const wrong = sha256("something else");
    const put = await platform.api("PUT", `/v1/blobs/${wrong}`, { body: "content" });
    assert.deepEqual([put.status, put.json.code], [400, "blob_mismatch"]);
    const form = new FormData();
    form.set(wrong, new Blob(["content"]), "blob");
    const post = await platform.api("POST", "/v1/blobs", { body: form });
    assert.deepEqual([post.status, post.json.code], [400, "blob_mismatch"]);
    assert.match(post.json.error, new RegExp(`${wrong}.*${sha256("content")}`));
  }));

const badBodies = [
  ["a path that leads outside the folder", { path: "../x" }, /files\[0\]\.path/],
  ["an absolute path", { path: "/etc/passwd" }, /files\[0\]\.path/],
  ["a backslash", { path: "a\\b" }, /files\[0\]\.path/],
  ["a NUL", { path: "a\0b" }, /files\[0\]\.path/],
  ["an invalid hash", { sha256: "abc" }, /files\[0\]\.sha256/],
  ["a negative size", { size: -1 }, /files\[0\]\.size/],
] as const;

Deno.test("validation of a file list reports one message for each field", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    for (const [name, change, message] of badBodies) {
      const file = { path: "index.html", sha256: sha256("x"), size: 1, ...change };
      const answer = await platform.api("POST", "/v1/projects/shop/deployments", {
        json: { environment: "production", manifest: STATIC_MANIFEST, files: [file] },
      });
      assert.deepEqual([answer.status, answer.json.code], [400, "invalid_request"], name);
      assert.match(answer.json.error, message, name);
    }
    const twice = fileList({ "a": "1" });
    const answer = await platform.api("POST", "/v1/projects/shop/deployments", {
      json: {
        environment: "production",
        manifest: STATIC_MANIFEST,
        files: [...twice, ...twice, ...fileList({ "a/b": "2" })],
      },
    });
    assert.match(answer.json.error, /"a" is listed twice/);
    assert.equal(answer.json.problems.length, 2);
  }));

Deno.test("the platform validates a manifest and reports problems in the specified format", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const { status, json } = await create(platform, "shop", {
      files: site("x"),
      manifest: {
        version: 1,
        layers: [{ name: "static", target: "STATIC", directory: "." }],
        routes: [{ pattern: "(?=x)", layer: "nope" }],
      },
    });
    assert.deepEqual([status, json.code], [400, "manifest_invalid"]);
    assert.match(json.error, /^Manifest validation failed:\nroutes\[0\]\.pattern: /);
    assert.match(json.error, /\nroutes\[0\]\.layer: /);
  }));

Deno.test("each rollback makes the previous deployment live", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const text = async () => (await platform.get("shop.localhost", "/")).text;
    const [one, two, three] = [
      await deploy(platform, "shop", { files: site("one") }),
      await deploy(platform, "shop", { files: site("two") }),
      await deploy(platform, "shop", { files: site("three") }),
    ];
    const rollback = (json: unknown) =>
      platform.api("POST", "/v1/projects/shop/rollback", { json });
    const first = await rollback({});
    assert.equal(first.json.deployment.id, two.id);
    assert.equal(first.json.rolledBack.status, "ROLLED_BACK");
    assert.equal(await text(), "<p>two</p>");
    assert.equal((await rollback({ deploymentId: three.id })).status, 409);
    assert.equal((await rollback({ deploymentId: two.id })).json.deployment.id, one.id);
    assert.equal(await text(), "<p>one</p>");
    const none = await rollback({});
    assert.deepEqual([none.status, none.json.code], [409, "conflict"]);
    assert.equal((await rollback({ to: three.id })).json.deployment.status, "LIVE");
    assert.equal(await text(), "<p>three</p>");
    assert.equal((await rollback({ to: crypto.randomUUID() })).status, 404);
  }));

Deno.test("a rollback undoes an earlier rollback --to, and further rollbacks continue through the history", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    for (const name of ["one", "two", "three"]) {
      await deploy(platform, "shop", { files: site(name) });
    }
    const { items } = (await platform.api("GET", "/v1/projects/shop/deployments")).json;
    const oldest = items.at(-1).id;
    const shown = async (json: unknown) => {
      const { status } = await platform.api("POST", "/v1/projects/shop/rollback", { json });
      assert.equal(status, 200);
      return (await platform.get("shop.localhost", "/")).text;
    };
    const next = async () =>
      (await platform.api("GET", "/v1/projects/shop")).json.rollbackDeploymentId;
    assert.equal(await next(), items[1].id);
    assert.equal(await shown({ to: oldest }), "<p>one</p>");
    assert.equal(await next(), items[0].id);
    assert.equal(await shown({}), "<p>three</p>");
    assert.equal(await shown({}), "<p>two</p>");
    assert.equal(await shown({}), "<p>one</p>");
    assert.equal(await next(), null);
  }));

Deno.test("everything survives a restart", async () => {
  await inTestFolder(async (dataDir) => {
    const first = await start(dataDir);
    assert.equal(first.token?.length, 33);
    await createProject(first, "shop");
    const live = await deploy(first, "shop", { files: site("one") });
    await first.shutdown();
    const second = await start(dataDir);
    assert.equal(second.token, undefined);
    assert.equal((await second.get("shop.localhost", "/")).text, "<p>one</p>");
    assert.equal((await second.api("GET", `/v1/deployments/${live.id}`)).json.status, "LIVE");
    await second.shutdown();
  });
});

Deno.test("a second platform on the same data directory is refused", () =>
  withPlatform(async (platform) => {
    await assert.rejects(start(platform.dataDir), /another svc serve is using it/);
    assert.equal((await platform.api("GET", "/v1/health")).json.status, "ok");
  }));

Deno.test("deleting a project takes its hosts offline and frees its name", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const live = await deploy(platform, "shop", { files: site("one") });
    assert.equal((await platform.api("DELETE", "/v1/projects/shop")).status, 204);
    for (const host of ["shop.localhost", "shop-git-main.localhost", hostOf(live.url)]) {
      assert.equal((await platform.get(host, "/")).status, 404, host);
    }
    assert.equal((await platform.api("GET", `/v1/deployments/${live.id}`)).status, 404);
    await createProject(platform, "shop");
    assert.deepEqual(
      (await platform.api("GET", "/v1/projects/shop/deployments")).json,
      { items: [], nextCursor: null },
    );
  }));

Deno.test("a stopped preview is offline, and the production deployment cannot be stopped", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const live = await deploy(platform, "shop", { files: site("one") });
    const preview = await deploy(platform, "shop", {
      files: site("two"),
      prod: false,
      branch: "b",
    });
    const stop = (id: string) => platform.api("POST", `/v1/deployments/${id}/stop`);
    assert.equal((await stop(live.id)).status, 409);
    assert.equal((await stop(preview.id)).json.status, "STOPPED");
    assert.equal((await platform.get(hostOf(preview.url), "/")).status, 404);
    assert.equal((await platform.get("shop-git-b.localhost", "/")).status, 404);
    const path = `/v1/deployments/${preview.id}/activate`;
    assert.equal((await platform.api("POST", path)).status, 409);
  }));

Deno.test("when two deployments go live at the same time, the edge serves the one in the store", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        ["a", "b", "c"].map((name) => deploy(platform, "shop", { files: site(`${name}${round}`) })),
      );
      const { productionDeploymentId } = (await platform.api("GET", "/v1/projects/shop")).json;
      const page = await platform.get("shop.localhost", "/");
      assert.equal(page.headers["x-svc-deployment"], productionDeploymentId);
    }
  }));

Deno.test("a path that leads outside the site gets a 404 in every encoding", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: site("one") });
    const paths = [
      "/../../../etc/passwd",
      "/..%2f..%2fetc/passwd",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/..\\..\\etc\\passwd",
      "/%2e%2e%5cetc%5cpasswd",
      "/....//....//etc/passwd",
      "/%252e%252e/etc/passwd",
      "/%c0%ae%c0%ae/etc/passwd",
      "/about.html/../../etc/passwd",
      "//etc/passwd",
    ];
    for (const path of paths) {
      const answer = await rawRequest(platform.port, { host: "shop.localhost", path });
      assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`);
    }
  }));
