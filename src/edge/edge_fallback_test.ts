/** The page of a single-page app, for documents without a file. */
import assert from "node:assert/strict";
import type { Manifest } from "../manifest/mod.ts";
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
const NO_404 = { "index.html": "app" };

const ROWS: Readonly<Record<string, Row>> = {
  "a document": { path: "/users/7", expected: [200, "app"] },
  "a document with a final slash": { path: "/users/7/", expected: [200, "app"] },
  "a document with a query": { path: "/users?page=1.5", expected: [200, "app"] },
  "a document by HEAD": { path: "/users/7", method: "HEAD", expected: [200, ""] },
  "a folder with a dot in its name": { path: "/v1.2/users", expected: [200, "app"] },
  "a file": { path: "/assets/index-a1.js", expected: [200, "script"] },
  "another page": { path: "/admin/", expected: [200, "admin"] },
  "an asset of an older build": { path: "/assets/index-b2.js", expected: [404, "own 404"] },
  "an asset with an encoded dot": { path: "/assets/b2%2Ejs", expected: [404, "own 404"] },
  "an image": { path: "/logo.png", accept: "image/*", expected: [404, "own 404"] },
  "a request for data": { path: "/users", accept: "application/json", expected: [404, "own 404"] },
  "a request for anything": { path: "/users", accept: "*/*", expected: [404, "own 404"] },
  "another method": { path: "/users", method: "POST", expected: [404, ""] },
  "no fallback": { path: "/users", options: {}, expected: [404, "own 404"] },
  "a fallback in a folder, for what is below": {
    path: "/admin/users",
    options: { manifest: manifestOf("admin/index.html") },
    expected: [200, "admin"],
  },
  "a fallback in a folder, for what is beside it": {
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
  "a rewrite where there is no file": {
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
  Deno.test(`the edge answers ${name} of a single-page app`, async () => {
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

Deno.test("a missing part of a page is 404 whatever it accepts, by what the browser does with it", async () => {
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
