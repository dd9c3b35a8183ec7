/** Tests the page of a single-page app, which is served for documents without a file. */
import assert from "node:assert/strict";
import type { Manifest } from "../manifest/mod.ts";
import { computeOf } from "./_test_compute.ts";
import { testEdge, testSite, type TestSiteOptions } from "./_test_site.ts";

const BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8";

const manifestOf = (fallback: string, directory = "."): Manifest => ({
  version: 1,
  layers: [{ name: "static", target: "STATIC", directory, fallback }],
  routes: [{ pattern: "^/.*$", layer: "static" }],
});

const FILES = {
  "index.html": "app",
  "404.html": "own 404",
  "assets/index-a1.js": "script",
  "admin/index.html": "admin",
};

interface Row {
  readonly path: string;
  readonly accept?: string;
  readonly method?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: TestSiteOptions;
  readonly expected: readonly [status: number, body: string];
}

const APP: TestSiteOptions = { manifest: manifestOf("index.html") };
/** The rule that importers create for `/* /index.html 200`. */
const REWRITE_ALL: NonNullable<TestSiteOptions["rules"]> = [{
  id: "spa",
  action: { type: "rewrite", target: "/index.html", ifNoFile: true },
}];
const NO_404 = { "index.html": "app" };

const ROWS: Readonly<Record<string, Row>> = {
  "a document": { path: "/users/7", expected: [200, "app"] },
  "a document with a trailing slash": { path: "/users/7/", expected: [200, "app"] },
  "a document with a query": { path: "/users?page=1.5", expected: [200, "app"] },
  "a document requested with HEAD": { path: "/users/7", method: "HEAD", expected: [200, ""] },
  "a folder with a dot in its name": { path: "/v1.2/users", expected: [200, "app"] },
  "a file": { path: "/assets/index-a1.js", expected: [200, "script"] },
  "another page": { path: "/admin/", expected: [200, "admin"] },
  "a missing asset of an older build": { path: "/assets/index-b2.js", expected: [404, "own 404"] },
  "an asset with an encoded dot": { path: "/assets/b2%2Ejs", expected: [404, "own 404"] },
  "an image": { path: "/logo.png", accept: "image/*", expected: [404, "own 404"] },
  "a request for data": { path: "/users", accept: "application/json", expected: [404, "own 404"] },
  "a request that accepts anything": { path: "/users", accept: "*/*", expected: [404, "own 404"] },
  "another method": { path: "/users", method: "POST", expected: [404, ""] },
  "no fallback": { path: "/users", options: {}, expected: [404, "own 404"] },
  "a fallback in a folder, for paths below it": {
    path: "/admin/users",
    options: { manifest: manifestOf("admin/index.html") },
    expected: [200, "admin"],
  },
  "a fallback in a folder, for paths next to it": {
    path: "/administration",
    options: { manifest: manifestOf("admin/index.html") },
    expected: [404, "own 404"],
  },
  "a fallback of a layer's folder": {
    path: "/users",
    options: { manifest: manifestOf("admin/index.html", "admin") },
    expected: [200, "admin"],
  },
  "a rule that denies": {
    path: "/users",
    options: {
      ...APP,
      rules: [{
        id: "closed",
        condition: { path: { type: "prefix", value: "/users" } },
        action: { type: "deny" },
      }],
    },
    expected: [403, ""],
  },
  "a rewrite if there is no file": {
    path: "/users",
    options: {
      ...APP,
      rules: [{
        id: "moved",
        condition: { path: { type: "prefix", value: "/users" } },
        action: { type: "rewrite", target: "/admin", ifNoFile: true },
      }],
    },
    expected: [200, "admin"],
  },
  "a missing script under a rewrite of everything": {
    path: "/assets/index-DX2k9f1a.js",
    accept: "*/*",
    options: { rules: REWRITE_ALL },
    expected: [404, "own 404"],
  },
  "a rewrite to a document without a file": {
    path: "/old",
    options: {
      ...APP,
      rules: [{
        id: "moved",
        condition: { path: { type: "exact", value: "/old" } },
        action: { type: "rewrite", target: "/new" },
      }],
    },
    expected: [200, "app"],
  },
};

for (const [name, row] of Object.entries(ROWS)) {
  Deno.test(`the edge serves a single-page app: ${name}`, async () => {
    const { path, accept = BROWSER, method = "GET", files = FILES, options = APP } = row;
    const { site } = testSite(files, options);
    const response = await testEdge(site).fetch(path, { method, headers: { accept } });
    const [status, body] = row.expected;
    const text = await response.text();
    assert.equal(response.status, status, text);
    if (body !== "") assert.equal(text, body);
  });
}

Deno.test("the page of a single-page app is revalidated, and varies by Accept", async () => {
  const { site } = testSite(NO_404, APP);
  const edge = testEdge(site);
  const page = await edge.fetch("/users", { headers: { accept: BROWSER } });
  assert.equal(page.headers.get("cache-control"), "public, max-age=0, must-revalidate");
  assert.match(page.headers.get("vary") ?? "", /\baccept\b/i);
  const etag = page.headers.get("etag")!;
  const same = await edge.fetch("/users", { headers: { accept: BROWSER, "if-none-match": etag } });
  assert.equal(same.status, 304);
  const asset = await edge.fetch("/assets/gone.js", { headers: { accept: BROWSER } });
  assert.equal(asset.status, 404);
  assert.equal(asset.headers.get("cache-control"), "no-store");
  const data = await edge.fetch("/users", { headers: { accept: "*/*", "if-none-match": etag } });
  assert.equal(data.status, 404);
});

Deno.test("a missing subresource gets a 404 regardless of Accept, if the browser sends Sec-Fetch-Dest", async () => {
  const edge = testEdge(testSite(NO_404, APP).site);
  const rows = [
    ["document", 200],
    ["iframe", 200],
    ["empty", 200],
    ["script", 404],
    ["style", 404],
    ["image", 404],
    ["font", 404],
    ["worker", 404],
  ] as const;
  for (const [dest, status] of rows) {
    const headers = { accept: BROWSER, "sec-fetch-dest": dest };
    const answer = await edge.fetch("/chunk-2f8a", { headers });
    assert.equal(answer.status, status, dest);
    if (status === 200) assert.match(answer.headers.get("vary") ?? "", /sec-fetch-dest/);
  }
});

Deno.test("a rewrite to a document does not replace a missing subresource", async () => {
  const files = { ...NO_404, "photos/one.jpg": "one" };
  const rules: typeof REWRITE_ALL = [{
    id: "photos",
    condition: { path: { type: "glob", value: "/images/{name}" } },
    action: { type: "rewrite", target: "/photos/{name}", ifNoFile: true },
  }, ...REWRITE_ALL];
  const edge = testEdge(testSite(files, { rules }).site);
  const rows = [
    ["/users/7", "document", 200],
    ["/users/7", "empty", 200],
    ["/chunk-2f8a", "script", 404],
    ["/chunk-2f8a", "font", 404],
    ["/images/one.jpg", "image", 200],
    ["/images/two.jpg", "image", 404],
    ["/", "image", 200],
  ] as const;
  for (const [path, dest, status] of rows) {
    const headers = { accept: BROWSER, "sec-fetch-dest": dest };
    const answer = await edge.fetch(path, { headers });
    await answer.body?.cancel();
    assert.equal(answer.status, status, `${path} as ${dest}`);
  }
});

Deno.test("no client header bypasses a rewrite", async () => {
  const manifest: Manifest = {
    version: 1,
    layers: [
      { name: "static", target: "STATIC", directory: "." },
      { name: "app", target: "COMPUTE", directory: "server", entry: "server/main.js" },
    ],
    routes: [
      { pattern: "^/.*$", layer: "static", priority: 1 },
      { pattern: "^/.*$", layer: "app" },
    ],
  };
  const gate = (ifNoFile: boolean): typeof REWRITE_ALL => [{
    id: "gate",
    condition: { path: { type: "prefix", value: "/admin/" } },
    action: { type: "rewrite", target: "/denied.html", ifNoFile },
  }];
  const compute = computeOf({ app: () => new Response("secret") });
  const files = { "denied.html": "denied" };
  const sites = [
    testSite(files, { manifest, compute, rules: gate(true) }),
    testSite(files, { manifest, compute, rules: gate(false) }),
    testSite(files, { rules: gate(false) }),
  ];
  for (const { site } of sites) {
    const edge = testEdge(site);
    for (const dest of ["document", "script", "image", undefined]) {
      const headers = { accept: "*/*", ...(dest && { "sec-fetch-dest": dest }) };
      const answer = await edge.fetch("/admin/index-DX2k9f1a.js", { headers });
      assert.deepEqual([answer.status, await answer.text()], [200, "denied"], `${dest}`);
    }
  }
});
