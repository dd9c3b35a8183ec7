import assert from "node:assert/strict";
import fc from "fast-check";
import { TRAILING_SLASHES } from "../../lib/page_urls.ts";
import { atOnce } from "../../lib/next_turn.ts";
import type { Manifest } from "../../manifest/mod.ts";
import { addressOf, addressRules } from "./page_addresses.ts";
import { createFileTables, SiteContent } from "./site_content.ts";

interface Row {
  readonly name: string;
  readonly settings?: Parameters<typeof addressRules>[0];
  readonly files: readonly string[];
  /** Path at which the first file is served. */
  readonly address: string;
}

const rows: readonly Row[] = [
  { name: "a page", files: ["/about.html"], address: "/about" },
  { name: "a folder's page", files: ["/docs/index.html"], address: "/docs/" },
  { name: "the home page", files: ["/index.html"], address: "/" },
  { name: "a file that is not a page", files: ["/about.txt"], address: "/about.txt" },
  { name: "a page next to a folder", files: ["/a.html", "/a/index.html"], address: "/a" },
  { name: "a folder next to a page", files: ["/a/index.html", "/a.html"], address: "/a/" },
  { name: "a page after a file with the same name", files: ["/a.html", "/a"], address: "/a.html" },
  { name: "a page without a name", files: ["/a/.html"], address: "/a/.html" },
  { name: "a doubled extension", files: ["/a.html.html"], address: "/a.html" },
  {
    name: "a doubled extension if the shorter URL is taken",
    files: ["/a.html.html", "/a.html"],
    address: "/a.html.html",
  },
  {
    name: "a page with trailingSlash always",
    settings: { trailingSlash: "always" },
    files: ["/about.html"],
    address: "/about/",
  },
  {
    name: "a page next to a folder with trailingSlash always",
    settings: { trailingSlash: "always" },
    files: ["/a.html", "/a/index.html"],
    address: "/a.html",
  },
  {
    name: "a file with trailingSlash always",
    settings: { trailingSlash: "always" },
    files: ["/a.css"],
    address: "/a.css",
  },
  {
    name: "a folder's page with trailingSlash never",
    settings: { trailingSlash: "never" },
    files: ["/docs/index.html"],
    address: "/docs",
  },
  {
    name: "the home page with trailingSlash never",
    settings: { trailingSlash: "never" },
    files: ["/index.html"],
    address: "/",
  },
  {
    name: "a folder next to a page with trailingSlash never",
    settings: { trailingSlash: "never" },
    files: ["/a/index.html", "/a.html"],
    address: "/a/index.html",
  },
  {
    name: "a page without cleanUrls",
    settings: { cleanUrls: false },
    files: ["/about.html"],
    address: "/about.html",
  },
  {
    name: "a folder's page without cleanUrls",
    settings: { cleanUrls: false },
    files: ["/docs/index.html"],
    address: "/docs/",
  },
];

for (const { name, settings, files, address } of rows) {
  Deno.test(`addressOf() returns ${address} for ${name}`, () => {
    const has = (path: string) => files.includes(path);
    assert.equal(addressOf(files[0]!, has, addressRules(settings)), address);
  });
}

const word = fc.constantFrom("a", "b", "A", "index", "index.html", "a.html", "404", "%", "ü", ".");
const name = fc.tuple(word, fc.constantFrom("", ".html", ".HTML", ".css"))
  .map(([stem, ending]) => stem + ending).filter((each) => each !== ".");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((steps) => steps.join("/"));
const siteArbitrary = fc.record({
  paths: fc.uniqueArray(path, { minLength: 1, maxLength: 8 }),
  urls: fc.record({
    trailingSlash: fc.constantFrom(...TRAILING_SLASHES),
    cleanUrls: fc.boolean(),
    ignoreCase: fc.boolean(),
  }),
  layers: fc.constantFrom<Manifest["layers"]>(
    [{ name: "all", target: "STATIC", directory: "." }],
    [
      { name: "a", target: "STATIC", directory: "a" },
      { name: "all", target: "STATIC", directory: "." },
    ],
  ),
});

/** Returns all ways to write a file's path. */
function spellings(file: string): string[] {
  const page = file.replace(/\.html$/, "");
  const folder = file.endsWith("/index.html") ? file.slice(0, -"index.html".length) : undefined;
  return [
    ...[file, page, `${page}/`],
    ...(folder === undefined ? [] : [folder, folder === "/" ? folder : folder.slice(0, -1)]),
  ];
}

Deno.test("SiteContent.resolve() serves each file at one path, and redirects there in one hop", () => {
  fc.assert(
    fc.property(siteArbitrary, ({ paths, urls, layers }) => {
      const files = paths.map((each, at) => ({
        path: each,
        sha256: String(at).padStart(64, "0"),
        size: 1,
      }));
      const manifest: Manifest = {
        version: 1,
        layers,
        routes: layers.map(({ name }, at) => ({ pattern: "^/.*$", layer: name, priority: -at })),
        urls,
      };
      const tables = atOnce(createFileTables(manifest, files, []));
      const content = new SiteContent(manifest, tables);
      const all = [...new Set([...tables.values()].flatMap(({ byPath }) => [...byPath.keys()]))];
      const asked = [...new Set(all.flatMap(spellings))];
      const addresses = new Map<unknown, Set<string>>();
      const served = (at: string, file: unknown) =>
        addresses.set(file, (addresses.get(file) ?? new Set()).add(at));
      for (const at of [...asked, ...asked.map((each) => each.toUpperCase())]) {
        const first = content.resolve("GET", at);
        assert.deepEqual(content.resolve("GET", at), first);
        assert.equal(
          content.resolve("POST", at).type,
          first.type === "missing" ? "missing" : "read_only",
        );
        if (first.type === "file") served(at, first.file);
        if (first.type !== "moved") continue;
        assert.match(first.address, /^\/(?![/\\])[\x21-\x7e]*$/);
        const second = content.resolve("GET", first.address);
        assert.ok(second.type === "file" && second.file === first.file);
      }
      for (const found of addresses.values()) assert.equal(found.size, 1);
      // In a single layer, each file is served at some path.
      if (layers.length > 1) return;
      const [table] = tables.values();
      for (const file of table!.byPath.values()) assert.ok(addresses.has(file));
    }),
    { numRuns: 400 },
  );
});
