/**
 * Tests projects with functions for other platforms, and with apps that they export for these
 * platforms.
 */
import assert from "node:assert/strict";
import { deployedPaths, inspect, pack, type Project } from "./_test_project.ts";
import { generateManifest } from "./generate_manifest.ts";

const HANDLER = "export default function handler(req, res) { res.end(); }";
const PAGE = { "index.html": "<h1>hi</h1>" };

/** Finds a project's parts, and generates its manifest. */
async function manifestOf(project: Project) {
  const inspected = await inspect(project);
  const { found, detected } = inspected;
  assert.ok(found.type === "server", JSON.stringify(found));
  const paths = deployedPaths(project, inspected);
  return {
    found,
    paths,
    manifest: generateManifest(found, { paths, framework: detected.framework }),
  };
}

Deno.test("findBuilt() serves Vercel functions next to a Vite site, which keeps its fallback", async () => {
  const { found, manifest } = await manifestOf({
    files: {
      "package.json": pack(["vite"], { build: "vite build" }),
      "api/users/[id].ts": `import db from "./db";\n${HANDLER}`,
      "api/edge.js": `export const config = { runtime: "edge" };\n${HANDLER}`,
      "vercel.json": JSON.stringify({
        functions: { "api/*.js": { maxDuration: 30, memory: 1024 } },
        rewrites: [{ source: "/old/:id", destination: "/api/users/:id" }],
      }),
      "dist/index.html": "",
    },
  });
  assert.deepEqual(manifest.layers, [
    { name: "dist", target: "STATIC", directory: "dist", fallback: "dist/index.html" },
    {
      name: "server",
      target: "COMPUTE",
      directory: ".",
      entry: "api/users/[id].ts",
      runtime: { memoryMb: 1024, timeoutMs: 30_000 },
    },
  ]);
  assert.deepEqual(manifest.routes, [
    { pattern: "^/api(?:/.*)?$", layer: "server", priority: 25 },
    { pattern: "^/.*$", layer: "dist", priority: 20 },
    { pattern: "^/old/([^/]+)/?$", layer: "server", priority: 0 },
  ]);
  assert.deepEqual(found.notes, [
    'api/edge.js:1 uses the runtime "edge": svc runs it on Node',
  ]);
});

Deno.test("findBuilt() keeps functions' sources out of a site in the project's root", async () => {
  const { found, manifest } = await manifestOf({
    files: {
      ...PAGE,
      "assets/app.js": "document.title = 'a';",
      "lib/db.js": "export const db = 1;",
      "lib/shown.js": "export const shown = 1;",
      "api/hello.js": `import { db } from "../lib/db.js";\n${HANDLER}`,
    },
    directory: ".",
  });
  const placed = found.placements?.map(({ to }) => to) ?? [];
  assert.deepEqual(
    placed.filter((path) => path.startsWith("svc-site/")).sort(),
    ["svc-site/assets", "svc-site/index.html", "svc-site/lib/shown.js"],
  );
  assert.equal(manifest.layers[0]?.directory, "svc-site");
});

Deno.test("findBuilt() reports unsupported features of Netlify functions", async () => {
  const { found } = await manifestOf({
    files: {
      "public/index.html": "",
      "netlify/functions/a.mjs": "export default async (request, context) => new Response();",
      "netlify/functions/mail-background.js":
        "exports.handler = async () => ({ statusCode: 200 });",
      "netlify/edge-functions/b.ts": "export default async (request) => new Response();",
    },
  });
  assert.deepEqual(found.notes, [
    "netlify/functions/mail-background.js:1 is a background function: on svc, the caller waits for its response",
    "netlify/edge-functions/b.ts:1 is a Netlify edge function, which svc does not run: " +
    "write it as an svc function (docs/functions.md)",
  ]);
});

Deno.test("findBuilt() refuses a Python function next to a JavaScript function", async () => {
  const { found } = await inspect({
    files: { ...PAGE, "api/a.js": HANDLER, "api/b.py": "class handler:\n  pass" },
    directory: ".",
  });
  assert.ok(found.type === "unusable");
  assert.match(found.message, /api\/b\.py:1 is a function that is not JavaScript or TypeScript/);
});

Deno.test("findBuilt() serves apps that a module exports, but public files take precedence", async () => {
  const rows: readonly (readonly [entry: string, text: string, name: string])[] = [
    [
      "index.js",
      'import express from "express";\nconst app = express();\nexport default app;\n',
      "express",
    ],
    ["server.js", 'const app = require("express")();\nmodule.exports = app;\n', "express"],
    ["src/app.ts", 'import Koa from "koa";\nconst app = new Koa();\nexport default app;\n', "koa"],
    [
      "app.mjs",
      'import { createApp } from "h3";\nconst app = createApp();\nexport { app as default };',
      "h3",
    ],
    [
      "src/index.ts",
      'import { Hono } from "hono";\nconst app = new Hono();\nexport default app;\n',
      "hono",
    ],
  ];
  for (const [entry, text, name] of rows) {
    const { found, manifest } = await manifestOf({
      files: { "package.json": pack([name]), [entry]: text, "public/robots.txt": "" },
      directory: ".",
    });
    assert.equal(found.entry, entry);
    assert.deepEqual(manifest.layers.map(({ directory }) => directory), ["public", "."], entry);
  }
});
