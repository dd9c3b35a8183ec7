import assert from "node:assert/strict";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import {
  type Answer,
  createProject,
  deploy,
  start,
  STATIC_MANIFEST,
  type TestPlatform,
} from "../../helpers/platform.ts";

/** Returns the assets of one version. All names except two change with the content. */
const assetsOf = (version: number) => ({
  "index.html": `<p>${version}</p>`,
  "404.html": "<p>not found</p>",
  "data.json": String(version),
  "_next/static/chunks/main.js": `main ${version}`,
  [`_next/static/build-${version}/_buildManifest.js`]: `build ${version}`,
  [`_app/immutable/chunk.${version}.js`]: `chunk ${version}`,
  [`assets/index-DX2k9f1${version}.js`]: `index ${version}`,
  [`assets/logo-DX2k9f1${version}.svg`]: `<svg>${version}</svg>`,
  [`assets/page-DX2k9f1${version}.html`]: `page ${version}`,
  [`assets/plain${version}.svg`]: `plain ${version}`,
  [`chunk-DX2k9f1${version}.js`]: `chunk ${version}`,
  [`photo-2026012${version}.jpg`]: `photo ${version}`,
  [`guide${version}.html`]: `guide ${version}`,
});

const SERVER = `
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
const version = readFileSync(new URL("version.txt", import.meta.url), "utf8");
createServer((request, response) => {
  if (request.url.startsWith("/assets/") || request.url.startsWith("/_app/")) {
    response.writeHead(404, { "content-type": "text/html" });
    return response.end("<p>no such page</p>");
  }
  response.setHeader("content-type", request.url.startsWith("/api") ? "text/plain" : "text/html");
  response.setHeader("cache-control", "public, max-age=60");
  response.end([version, request.method, request.headers.cookie ?? "no cookie"].join(" "));
}).listen(process.env.PORT);
`;

const serverManifest = (extra: Record<string, unknown> = {}) => ({
  version: 1,
  layers: [
    { name: "client", target: "STATIC", directory: "client" },
    {
      name: "server",
      target: "COMPUTE",
      directory: "server",
      entry: "server/main.mjs",
      runtime: { engine: "node" },
    },
  ],
  routes: [
    { pattern: "^/.*$", layer: "client", priority: 1 },
    { pattern: "^/.*$", layer: "server" },
  ],
  ...extra,
});

const serverFiles = (version: number) => ({
  "server/main.mjs": SERVER,
  "server/version.txt": String(version),
  [`client/assets/index-DX2k9f1${version}.js`]: `index ${version}`,
  "client/_app/version.json": `{"version":"${version}"}`,
});

/** Rules for a site whose responses the edge caches. */
const CACHED = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [{ id: "cache", action: { type: "cache", ttlSeconds: 60 } }],
};

/** Rules for a site that serves one page for every path without a file. */
const SINGLE_PAGE = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [{ id: "spa", action: { type: "rewrite", target: "/index.html", ifNoFile: true } }],
};

const FROM = "x-svc-asset-from";
const SHOWN = "x-svc-deployment";
/** Headers that a browser sends for a page's script. */
const BY_SCRIPT = { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };
/** Headers that a browser sends when it opens a page. */
const BY_VISITOR = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

const rollBack = (platform: TestPlatform, project: string) =>
  platform.api("POST", `/v1/projects/${project}/rollback`, { json: {} });

const cookieOf = ({ headers }: Answer): string | undefined =>
  [headers["set-cookie"] ?? []].flat().find((each) => each.startsWith("svc_deployment="))
    ?.split(";")[0];

async function checkAssets(platform: TestPlatform, ids: readonly string[], live: number) {
  const host = "shop.localhost";
  const from = (version: number) => ids[version];
  const rows: readonly [path: string, status: number, text: string | undefined, from?: string][] = [
    ["/_next/static/chunks/main.js", 200, `main ${live}`],
    ["/_next/static/build-2/_buildManifest.js", 200, "build 2", from(2)],
    ["/_app/immutable/chunk.1.js", 200, "chunk 1", from(1)],
    ["/assets/index-DX2k9f12.js", 200, "index 2", from(2)],
    ["/assets/logo-DX2k9f11.svg", 200, "<svg>1</svg>", from(1)],
    ["/chunk-DX2k9f11.js", 200, "chunk 1", from(1)],
    ["/assets/page-DX2k9f11.html", 404, undefined],
    ["/assets/page-DX2k9f11", 404, undefined],
    ["/assets/plain1.svg", 404, undefined],
    ["/photo-20260121.jpg", 404, undefined],
    ["/guide1", 404, undefined],
    ["/assets/index-DX2k9f19.js", 404, undefined],
    ["/data.json", 200, String(live)],
  ];
  for (const [path, status, text, origin] of rows) {
    const answer = await platform.get(host, path);
    const shown = [answer.status, answer.headers[FROM], answer.headers[SHOWN]];
    assert.deepEqual(shown, [status, origin, ids[live]], path);
    if (text !== undefined) assert.equal(answer.text, text, path);
  }
  const head = await platform.get(host, "/assets/index-DX2k9f12.js", { range: "bytes=0-4" });
  assert.deepEqual([head.status, head.text, head.headers[FROM]], [206, "index", from(2)]);
}

Deno.test("production serves earlier deployments' assets, even after restarts and rollbacks", async () => {
  const dataDir = await makeTestFolder("svc-tabs-");
  let platform = await start(dataDir);
  try {
    await createProject(platform, "shop");
    await createProject(platform, "other");
    await deploy(platform, "other", { files: { "assets/other-DX2k9f10.js": "other" } });
    const ids: string[] = [""];
    for (let version = 1; version <= 5; version++) {
      ids.push((await deploy(platform, "shop", { files: assetsOf(version) })).id);
    }
    await checkAssets(platform, ids, 5);
    const preview = await deploy(platform, "shop", { files: { "a.html": "a" }, prod: false });
    const asked: readonly [host: string, path: string][] = [
      [new URL(preview.url).hostname, "/assets/index-DX2k9f12.js"],
      ["other.localhost", "/assets/index-DX2k9f12.js"],
      ["shop.localhost", "/assets/other-DX2k9f10.js"],
    ];
    for (const [host, path] of asked) {
      assert.equal((await platform.get(host, path)).status, 404, `${host}${path}`);
    }

    await platform.shutdown();
    platform = await start(dataDir);
    await checkAssets(platform, ids, 5);

    await rollBack(platform, "shop");
    await checkAssets(platform, ids, 4);
    const newer = await platform.get("shop.localhost", "/assets/index-DX2k9f15.js");
    assert.deepEqual([newer.text, newer.headers[FROM]], ["index 5", ids[5]]);

    const stopped = await platform.api("POST", `/v1/deployments/${ids[2]}/stop`, { json: {} });
    assert.equal(stopped.status, 200, JSON.stringify(stopped.json));
    const gone = await platform.get("shop.localhost", "/assets/index-DX2k9f12.js");
    assert.equal(gone.status, 404);
    const left = await platform.get("shop.localhost", "/assets/index-DX2k9f11.js");
    assert.equal(left.headers[FROM], ids[1]);

    await deploy(platform, "shop", { files: assetsOf(6), rules: SINGLE_PAGE });
    const old = await platform.get("shop.localhost", "/assets/index-DX2k9f11.js");
    assert.deepEqual([old.text, old.headers[FROM]], ["index 1", ids[1]]);
    const never = await platform.get("shop.localhost", "/assets/index-DX2k9f19.js");
    assert.equal(never.status, 404);

    const deny = {
      schemaVersion: "EDGE_RULE_SET_V1",
      rules: [{
        id: "closed",
        condition: { path: { type: "prefix", value: "/assets/" } },
        action: { type: "deny" },
      }],
    };
    await deploy(platform, "shop", { files: assetsOf(6), rules: deny });
    const denied = await platform.get("shop.localhost", "/assets/index-DX2k9f11.js");
    assert.equal(denied.status, 403, "the live deployment's rules apply first");
    const off = { ...STATIC_MANIFEST, keepAssetsSeconds: 0 };
    await deploy(platform, "shop", { files: assetsOf(7), manifest: off });
    const unkept = await platform.get("shop.localhost", "/assets/index-DX2k9f11.js");
    assert.equal(unkept.status, 404, "keep_assets is off");
  } finally {
    await platform.shutdown();
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("requests from open pages reach their deployment's server", async () => {
  const dataDir = await makeTestFolder("svc-tabs-");
  let platform = await start(dataDir);
  const host = "shop.localhost";
  const ask = (path: string, headers: Record<string, string> = {}) =>
    platform.get(host, path, headers);
  try {
    await createProject(platform, "shop");
    await createProject(platform, "other");
    const other = await deploy(platform, "other", { files: assetsOf(1) });
    const first = await deploy(platform, "shop", {
      files: serverFiles(1),
      manifest: serverManifest({ pageIds: ["build-1"] }),
      rules: CACHED,
    });
    const page = await ask("/", BY_VISITOR);
    const cookie = cookieOf(page)!;
    assert.equal(cookie, `svc_deployment=${first.id}`);
    assert.equal(page.text, "1 GET no cookie");
    const again = await ask("/", { ...BY_VISITOR, cookie: `a=b; ${cookie}` });
    assert.equal(cookieOf(again), undefined, "the browser already has the cookie");
    assert.equal(
      cookieOf(await ask("/api/x", BY_SCRIPT)),
      undefined,
      "a request by a script gets no cookie",
    );

    const second = await deploy(platform, "shop", {
      files: serverFiles(2),
      manifest: serverManifest({ pageIds: ["build-2"] }),
      rules: CACHED,
    });
    const preview = await deploy(platform, "shop", {
      files: serverFiles(3),
      manifest: serverManifest({ pageIds: ["build-3"] }),
      prod: false,
    });
    const rows = (live: string): readonly [
      name: string,
      path: string,
      headers: Record<string, string>,
      version: string,
    ][] => [
      ["no id", "/api/x", {}, live],
      ["header", "/api/x", { "x-deployment-id": first.id }, "1"],
      ["header with the build ID", "/api/x", { "x-deployment-id": "build-1" }, "1"],
      ["query", `/api/x?a=b&dpl=${first.id}`, {}, "1"],
      ["query with the build ID", "/api/x?dpl=build-1", {}, "1"],
      ["Nuxt payload", "/page/_payload.json?build-1", {}, "1"],
      ["cookie", "/api/x", { ...BY_SCRIPT, cookie }, "1"],
      ["cookie among others", "/api/x", { ...BY_SCRIPT, cookie: `a=b; ${cookie}` }, "1"],
      ["cookie without a browser's fields", "/api/x", { cookie }, live],
      ["opening a page", "/api/x", { ...BY_VISITOR, cookie }, live],
      [
        "opening a page with a link that contains an ID",
        `/api/x?dpl=${first.id}`,
        BY_VISITOR,
        live,
      ],
      ["header takes precedence over the cookie", "/api/x", {
        ...BY_SCRIPT,
        cookie,
        "x-deployment-id": second.id,
      }, "2"],
      ["live id", "/api/x", { "x-deployment-id": "build-2" }, "2"],
      ["preview", "/api/x", { "x-deployment-id": preview.id }, live],
      ["build ID of a preview", "/api/x", { "x-deployment-id": "build-3" }, live],
      ["another project", "/api/x", { "x-deployment-id": other.id }, live],
      ["unknown", "/api/x", { "x-deployment-id": "dpl_forged" }, live],
      ["strange", "/api/x?dpl=%2e%2e%2f", {}, live],
      ["inherited name", "/api/x", { "x-deployment-id": "constructor" }, live],
      ["empty", "/api/x?dpl=", {}, live],
    ];
    const check = async (live: string) => {
      for (const [name, path, headers, version] of rows(live)) {
        const answer = await ask(path, headers);
        assert.ok(answer.text.startsWith(`${version} GET `), `${name}: ${answer.text}`);
        const shown = version === "1" ? first.id : second.id;
        assert.equal(answer.headers[SHOWN], shown, name);
      }
    };
    await check("2");
    const plain = await ask("/api/cookie", { ...BY_SCRIPT, cookie: `a=b; ${cookie}` });
    assert.equal(plain.text, "1 GET a=b", "the server never sees the cookie");
    const pinned = await ask("/api/x", { "x-deployment-id": first.id });
    assert.equal(pinned.headers["cache-control"], "private, no-cache");
    const newPage = await ask("/", { ...BY_VISITOR, cookie });
    assert.equal(
      cookieOf(newPage),
      `svc_deployment=${second.id}`,
      "a page gets its own deployment's ID",
    );
    const version = await ask("/_app/version.json", { ...BY_SCRIPT, cookie });
    assert.equal(version.text, '{"version":"2"}', "pages learn which version is live");
    const asset = await ask("/assets/index-DX2k9f11.js", { ...BY_SCRIPT, cookie });
    assert.deepEqual([asset.text, asset.headers[FROM]], ["index 1", first.id]);
    const missing = await ask("/assets/index-DX2k9f14.js");
    assert.equal(missing.status, 404);

    await platform.shutdown();
    platform = await start(dataDir);
    await check("2");

    await rollBack(platform, "shop");
    const newer = await ask("/api/y", { "x-deployment-id": "build-2" });
    assert.equal(
      newer.text,
      "2 GET no cookie",
      "pages of the newer deployment still reach it after a rollback",
    );
    const back = await ask("/api/y", { "x-deployment-id": first.id });
    assert.equal(back.text, "1 GET no cookie");

    const stopped = await platform.api("POST", `/v1/deployments/${second.id}/stop`, { json: {} });
    assert.equal(stopped.status, 200, JSON.stringify(stopped.json));
    const ended = await ask("/api/y", { "x-deployment-id": "build-2" });
    assert.equal(ended.text, "1 GET no cookie", "stopping a deployment takes effect immediately");

    await deploy(platform, "shop", {
      files: serverFiles(4),
      manifest: serverManifest({ skewSeconds: 0 }),
    });
    const off = await ask("/api/z", { "x-deployment-id": first.id });
    assert.equal(off.text, "4 GET no cookie", "max_age is 0");
    assert.equal(cookieOf(await ask("/", BY_VISITOR)), undefined);

    await platform.api("PATCH", "/v1/projects/shop/previews", { json: { protection: "all" } });
    const closed = await ask("/assets/index-DX2k9f11.js");
    assert.equal(closed.status, 401);
  } finally {
    await platform.shutdown();
    await Deno.remove(dataDir, { recursive: true });
  }
});
