import assert from "node:assert/strict";
import type { Manifest } from "../../manifest/mod.ts";
import { atOnce } from "../../lib/next_turn.ts";
import { createFileTables, SiteContent } from "./site_content.ts";

const MANIFEST: Manifest = {
  version: 1,
  layers: [
    { name: "a", target: "STATIC", directory: "a" },
    { name: "b", target: "STATIC", directory: "b" },
    { name: "strict", target: "STATIC", directory: "strict" },
    { name: "server", target: "COMPUTE", directory: "server", entry: "main.mjs" },
  ],
  routes: [
    { pattern: "^/.*$", layer: "b", priority: 1, methods: ["GET"] },
    { pattern: "^/.*$", layer: "a", priority: 2, methods: ["GET"] },
    { pattern: "^/strict/.*$", layer: "strict", priority: 3, fallthrough: false },
    { pattern: "^/api/.*$", layer: "server", priority: 2 },
    { pattern: "^/mixed/.*$", layer: "server", priority: 0 },
    { pattern: "^/only/get$", layer: "server", priority: 5, methods: ["POST"] },
  ],
};

const PATHS = [
  "a/page.html",
  "b/page.html",
  "b/only.txt",
  "b/only/get.html",
  "a/strict/page.html",
  "a/mixed/file.txt",
  "a/404.html",
  "b/404.html",
  "strict/404.html",
  "server/main.mjs",
];

const files = PATHS.map((path, index) => ({ path, sha256: `${index}`.padEnd(64, "f"), size: 1 }));
const nameOf = (sha256: string) => PATHS[Number(sha256.replace(/f+$/, ""))];

const contentOf = (manifest: Manifest) =>
  new SiteContent(manifest, atOnce(createFileTables(manifest, files, [])));

function resolved(content: SiteContent, method: string, path: string): string {
  const resolution = content.resolve(method, path);
  switch (resolution.type) {
    case "file":
      return `file ${nameOf(resolution.file.plain.sha256)}`;
    case "missing":
      return `missing ${resolution.page && nameOf(resolution.page.plain.sha256)}`;
    case "compute":
      return `compute ${resolution.route.layer.name}`;
    case "moved":
      return `moved ${resolution.address}`;
    case "read_only":
      return "read_only";
  }
}

const rows: readonly (readonly [method: string, path: string, expected: string])[] = [
  ["GET", "/page", "file a/page.html"],
  ["GET", "/only.txt", "file b/only.txt"],
  ["HEAD", "/only.txt", "file b/only.txt"],
  ["GET", "/none", "missing a/404.html"],
  ["GET", "/strict/page", "missing strict/404.html"],
  ["GET", "/api/x", "compute server"],
  ["POST", "/api/x", "compute server"],
  ["GET", "/mixed/file.txt", "file a/mixed/file.txt"],
  ["GET", "/mixed/other", "compute server"],
  ["POST", "/mixed/file.txt", "compute server"],
  ["POST", "/page", "read_only"],
  ["POST", "/none", "missing a/404.html"],
  ["GET", "/only/get", "file b/only/get.html"],
  ["POST", "/only/get", "compute server"],
  ["GET", "/server/main.mjs", "missing a/404.html"],
];

for (const [method, path, expected] of rows) {
  Deno.test(`SiteContent.resolve() resolves ${method} ${path} to ${expected}`, () => {
    const content = contentOf(MANIFEST);
    assert.equal(resolved(content, method, path), expected);
    assert.equal(resolved(content, method, path), expected);
  });
}

Deno.test("SiteContent.knownFile() caches paths that resolved to a file, by method", () => {
  const content = contentOf(MANIFEST);
  for (const path of ["/page", "/none", "/api/x"]) content.resolve("GET", path);
  assert.equal(nameOf(content.knownFile("GET", "/page")!.plain.sha256), "a/page.html");
  for (const path of ["/none", "/api/x"]) assert.equal(content.knownFile("GET", path), undefined);
  assert.equal(content.knownFile("HEAD", "/page"), undefined);
});

Deno.test("SiteContent.resolve() returns a layer's 404.html if no route matches", () => {
  const content = contentOf({ ...MANIFEST, routes: [] });
  assert.equal(resolved(content, "GET", "/page"), "missing a/404.html");
});

Deno.test("SiteContent.after() continues after a server, with earlier results", () => {
  const manifest: Manifest = {
    version: 1,
    layers: MANIFEST.layers,
    routes: [
      { pattern: "^/.*$", layer: "a", priority: 3 },
      { pattern: "^/.*$", layer: "server", priority: 2, fallthrough: true },
      { pattern: "^/.*$", layer: "b", priority: 1 },
    ],
  };
  const content = contentOf(manifest);
  const next = (method: string, path: string) => {
    const first = content.resolve(method, path);
    assert.ok(first.type === "compute");
    const after = content.after(method, path, first);
    return after.type === "missing" ? `missing ${nameOf(after.page!.plain.sha256)}` : after.type;
  };
  assert.equal(next("GET", "/only.txt"), "file");
  assert.equal(next("GET", "/none"), "missing a/404.html");
  assert.equal(next("POST", "/only.txt"), "read_only");
  assert.equal(next("POST", "/page"), "read_only");
});
