import assert from "node:assert/strict";
import type { Manifest } from "../manifest/mod.ts";
import type { Rule } from "../rules/mod.ts";
import { type Files, STATIC_MANIFEST, testEdge, testSite } from "./_test_site.ts";

const FILES: Files = {
  "index.html": "home",
  "about.html": "about",
  "docs/index.html": "docs",
  "docs/Guide.html": "guide",
  "evil.example/index.html": "evil",
  "ü/index.html": "umlaut",
  "404.html": "not here",
  "logo.svg": "<svg/>",
};

interface Row {
  readonly name: string;
  readonly path: string;
  readonly method?: string;
  readonly urls?: Manifest["urls"];
  readonly rules?: readonly Rule[];
  /** Target of the redirect, or the status and body. */
  readonly expected: string | readonly [status: number, body: string];
}

const exact = (value: string) => ({ path: { type: "exact" as const, value } });
const redirect = (from: string, target: string): Rule => ({
  id: `from-${from}`,
  condition: exact(from),
  action: { type: "redirect", target },
});
const rewrite = (from: string, target: string): Rule => ({
  id: `from-${from}`,
  condition: exact(from),
  action: { type: "rewrite", target },
});
const never = { trailingSlash: "never" } as const;
const always = { trailingSlash: "always" } as const;

const rows: readonly Row[] = [
  { name: "the home page", path: "/", expected: [200, "home"] },
  { name: "the home page's file", path: "/index.html", expected: "/" },
  { name: "the home page's file without .html", path: "/index", expected: "/" },
  { name: "a page", path: "/about", expected: [200, "about"] },
  { name: "a page's file", path: "/about.html", expected: "/about" },
  { name: "a page with a slash", path: "/about/", expected: "/about" },
  { name: "a folder", path: "/docs/", expected: [200, "docs"] },
  { name: "a folder without its slash", path: "/docs", expected: "/docs/" },
  { name: "a folder's file", path: "/docs/index.html", expected: "/docs/" },
  { name: "a folder's file without .html", path: "/docs/index", expected: "/docs/" },
  { name: "a query", path: "/docs?a=b&c=%2F%zz", expected: "/docs/?a=b&c=%2F%zz" },
  {
    name: "a query that no header field can contain",
    path: "/about.html?q=ü€ %",
    expected: "/about?q=%C3%BC%E2%82%AC%20%25",
  },
  { name: "an empty query", path: "/docs?", expected: "/docs/" },
  { name: "HEAD", path: "/about.html", method: "HEAD", expected: "/about" },
  { name: "POST", path: "/about.html", method: "POST", expected: [405, ""] },
  { name: "another host in the path", path: "//evil.example", expected: "/evil.example/" },
  { name: "another host after a backslash", path: "/\\evil.example", expected: "/evil.example/" },
  { name: "another host, encoded", path: "/%5Cevil.example", expected: [404, "not here"] },
  { name: "letters beyond ASCII", path: "/%C3%BC", expected: "/%C3%BC/" },
  { name: "a file with a slash", path: "/logo.svg/", expected: [404, "not here"] },
  { name: "another case", path: "/About", expected: [404, "not here"] },
  {
    name: "another case with ignoreCase",
    path: "/ABOUT",
    urls: { ignoreCase: true },
    expected: "/about",
  },
  {
    name: "another case of a file with ignoreCase",
    path: "/Logo.SVG?1",
    urls: { ignoreCase: true },
    expected: "/logo.svg?1",
  },
  {
    name: "the case of the file with ignoreCase",
    path: "/docs/guide",
    urls: { ignoreCase: true },
    expected: "/docs/Guide",
  },
  { name: "never: a folder", path: "/docs", urls: never, expected: [200, "docs"] },
  { name: "never: a folder with its slash", path: "/docs/", urls: never, expected: "/docs" },
  { name: "never: the home page", path: "/", urls: never, expected: [200, "home"] },
  { name: "always: a page", path: "/about/", urls: always, expected: [200, "about"] },
  { name: "always: a page without its slash", path: "/about", urls: always, expected: "/about/" },
  { name: "always: a file", path: "/logo.svg", urls: always, expected: [200, "<svg/>"] },
  {
    name: "with .html",
    path: "/about.html",
    urls: { cleanUrls: false },
    expected: [200, "about"],
  },
  { name: "without .html", path: "/about", urls: { cleanUrls: false }, expected: "/about.html" },
  {
    name: "a rule that redirects first",
    path: "/about.html",
    rules: [redirect("/about.html", "/docs/")],
    expected: "/docs/",
  },
  {
    name: "a rule that redirects back",
    path: "/about.html",
    rules: [redirect("/about", "/about.html")],
    expected: [200, "about"],
  },
  {
    name: "a rule that removes slashes",
    path: "/docs",
    rules: [redirect("/docs/", "/docs")],
    expected: [200, "docs"],
  },
  {
    name: "a rule that shows another page at the page's URL",
    path: "/about.html",
    rules: [rewrite("/about", "/docs/index.html")],
    expected: [200, "about"],
  },
  {
    name: "a rewrite to a page's file",
    path: "/old",
    rules: [rewrite("/old", "/about.html")],
    expected: [200, "about"],
  },
  {
    name: "a rewrite that applies only if there is no file",
    path: "/about/",
    rules: [{
      id: "app",
      condition: { path: { type: "prefix", value: "/" } },
      action: { type: "rewrite", target: "/index.html", ifNoFile: true },
    }],
    expected: "/about",
  },
  {
    name: "a rule that denies the page",
    path: "/about.html",
    rules: [{ id: "deny", condition: exact("/about"), action: { type: "deny" } }],
    expected: "/about",
  },
  {
    name: "a rule that denies this path",
    path: "/about.html",
    rules: [{ id: "deny", condition: exact("/about.html"), action: { type: "deny" } }],
    expected: [403, ""],
  },
];

for (const { name, path, method = "GET", urls, rules, expected } of rows) {
  Deno.test(`the edge serves or redirects ${method} ${path}: ${name}`, async () => {
    const manifest = urls === undefined ? STATIC_MANIFEST : { ...STATIC_MANIFEST, urls };
    const { site } = testSite(FILES, { manifest, ...(rules === undefined ? {} : { rules }) });
    const edge = testEdge(site);
    // The second time, rules and files are in the cache.
    for (const _ of [1, 2]) {
      const response = await edge.fetch(path, { method });
      const text = await response.text();
      if (typeof expected !== "string") {
        assert.deepEqual([response.status, expected[1] === "" ? "" : text], expected);
        continue;
      }
      const isByRule = rules?.some(({ action }) =>
        action.type === "redirect" && action.target === expected
      );
      assert.equal(response.status, isByRule === true ? 302 : 308);
      assert.equal(response.headers.get("location"), expected);
      if (isByRule !== true) {
        assert.equal(response.headers.get("cache-control"), "public, max-age=0, must-revalidate");
      }
      assert.equal(text, "");
    }
  });
}

Deno.test("the edge redirects a page to its URL after the steps of a pipeline", async () => {
  const { site } = testSite(FILES, {
    rules: [{
      id: "all",
      condition: { path: { type: "prefix", value: "/" } },
      action: { type: "pipeline", steps: [{ handle: "origin" }] },
    }],
  });
  const edge = testEdge(site);
  const moved = await edge.fetch("/about.html?x");
  assert.deepEqual([moved.status, moved.headers.get("location")], [308, "/about?x"]);
  assert.equal(await (await edge.fetch("/about?x")).text(), "about");
});

Deno.test("the edge serves a page if the routes give its URL to a server", async () => {
  const manifest: Manifest = {
    version: 1,
    layers: [
      { name: "files", target: "STATIC", directory: "." },
      { name: "server", target: "COMPUTE", directory: "server", entry: "server/main.mjs" },
    ],
    routes: [
      { pattern: "^/about$", layer: "server", priority: 2 },
      { pattern: "^/.*$", layer: "files", priority: 1 },
    ],
  };
  const { site } = testSite({ ...FILES, "server/main.mjs": "" }, { manifest });
  const response = await testEdge(site).fetch("/about.html");
  assert.deepEqual([response.status, await response.text()], [200, "about"]);
});
