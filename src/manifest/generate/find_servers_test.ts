/** Tests detection and `find` for projects with a server: engine, paths and command. */
import assert from "node:assert/strict";
import { outputFilesOf } from "../output_files.ts";
import { createRouteTable } from "../route_table.ts";
import { validateManifest } from "../validate_manifest.ts";
import { deployedPaths, EXPRESS, inspect, pack, type Project } from "./_test_project.ts";
import { generateManifest } from "./generate_manifest.ts";

interface Served extends Project {
  readonly id: string;
  /** The server's expected location, as `svc init` shows it. */
  readonly layout: string;
  readonly entry: string;
  /** For each request, the layers in the order in which they are tried. */
  readonly requests?: Readonly<Record<string, readonly string[]>>;
  readonly wrapper?: RegExp;
}

const ROUTER_FILES = {
  "build/server/index.js": "export const routes = {};",
  "build/client/assets/root-Abcd1234.js": "",
  "build/client/about/index.html": "",
};

const SERVED: Readonly<Record<string, Served>> = {
  "React Router": {
    files: {
      "package.json": pack(["@react-router/dev", "vite"], {
        build: "react-router build",
        start: "react-router-serve ./build/server/index.js",
      }),
      "react-router.config.ts": "export default { ssr: true };",
      ...ROUTER_FILES,
    },
    id: "react-router",
    layout: "build/server/index.js build/client",
    entry: "server/index.js",
    requests: { "GET /about": ["client", "server"], "POST /about": ["server"] },
    wrapper: /createRequestHandler \} from "react-router"/,
  },
  "React Router with the project's own server": {
    files: {
      "package.json": pack(["@react-router/dev", "express"], { start: "node ./server.js" }),
      "server.js": 'import express from "express"; express().listen(3000);',
      ...ROUTER_FILES,
    },
    id: "react-router",
    layout: "build/server/index.js build/client",
    entry: "server.js",
    requests: { "GET /assets/root-Abcd1234.js": ["server"] },
  },
  "Remix": {
    files: { "package.json": pack(["@remix-run/dev"]), "vite.config.ts": "", ...ROUTER_FILES },
    id: "remix",
    layout: "build/server/index.js build/client",
    entry: "server/index.js",
    wrapper: /from "@remix-run\/node"/,
  },
  "TanStack Start": {
    files: {
      "package.json": pack(["@tanstack/react-start", "vite"], { build: "vite build" }),
      "dist/server/server.js": "export { entry as default };",
      "dist/client/assets/index-Abcd1234.js": "",
    },
    id: "tanstack-start",
    layout: "dist/server/server.js dist/client",
    entry: "server/server.js",
    requests: { "GET /server/server.js": ["client", "server"] },
  },
  "TanStack Start with Nitro": {
    files: {
      "package.json": pack(["@tanstack/react-start", "nitro", "vite"], { build: "vite build" }),
      ".output/nitro.json": '{"preset":"node-server"}',
      ".output/server/index.mjs": "",
      ".output/public/assets/a.js": "",
    },
    id: "tanstack-start",
    layout: ".output/server/index.mjs .output/public",
    entry: "server/index.mjs",
  },
  "SolidStart": {
    files: {
      "package.json": pack(["@solidjs/start", "vinxi"], { build: "vinxi build" }),
      "app.config.ts": "export default defineConfig({});",
      ".output/nitro.json": '{"preset":"node-server"}',
      ".output/server/index.mjs": "",
      ".output/public/_build/assets/a-Abcd1234.js": "",
    },
    id: "solid-start",
    layout: ".output/server/index.mjs .output/public",
    entry: "server/index.mjs",
    requests: { "GET /_build/assets/gone.js": ["public", "public", "server"] },
  },
  "Qwik with the adapter for Express": {
    files: {
      "package.json": pack(["@builder.io/qwik-city"], {
        build: "qwik build",
        "build.server": "vite build -c adapters/express/vite.config.ts",
      }),
      "dist/build/q-abc.js": "",
      "server/entry.express.js": "",
      "server/q-route.js": "",
    },
    id: "qwik",
    layout: "server/entry.express.js dist",
    entry: "server/entry.express.js",
    requests: { "GET /build/q-abc.js": ["dist", "server"], "GET /": ["dist", "server"] },
  },
  "Express from its generator": {
    files: {
      "package.json": pack(["express", "pug"], { start: "node ./bin/www" }),
      "bin/www": "var app = require('../app');",
      "app.js": EXPRESS,
      "public/style.css": "",
    },
    id: "express",
    layout: "bin/www",
    entry: "bin/www",
    requests: { "GET /style.css": ["server"], "GET /app.js": ["server"] },
  },
  "NestJS": {
    files: {
      "package.json": pack(["@nestjs/core", "@nestjs/platform-express"], {
        build: "nest build",
        start: "nest start",
        "start:prod": "node dist/main",
      }),
      "dist/main.js": "bootstrap();",
    },
    id: "nest",
    layout: "dist/main.js",
    entry: "dist/main.js",
  },
  "Fastify from its generator": {
    files: {
      "package.json": pack(["fastify", "@fastify/autoload"], {
        start: "fastify start -l info app.js",
      }),
      "app.js": "export default async function (fastify) {}",
    },
    id: "fastify",
    layout: "app.js",
    entry: "app.js",
    wrapper: /app\.listen\(\{ port: Number\(process\.env\.PORT\)/,
  },
  "Hono in TypeScript": {
    files: {
      "package.json": pack(["hono", "@hono/node-server"], {
        build: "tsc",
        start: "node dist/index.js",
      }),
      "src/index.ts": "",
      "dist/index.js": 'import { serve } from "@hono/node-server"; serve(app);',
    },
    id: "hono",
    layout: "dist/index.js",
    entry: "dist/index.js",
  },
  "Hono for Bun": {
    files: {
      "package.json": pack(["hono"], { dev: "bun run --hot src/index.ts" }),
      "src/index.ts": 'import { Hono } from "hono"; const app = new Hono(); export default app;',
    },
    id: "hono",
    layout: "src/index.ts",
    entry: "src/index.ts",
  },
  "Hono for Cloudflare": {
    files: {
      "package.json": pack(["hono"], { deploy: "wrangler deploy" }),
      "wrangler.jsonc":
        '{ "main": "./src/index.ts", /* "kv_namespaces": [] */ "assets": { "directory": "./public" } }',
      "src/index.ts": "export default app;",
      "public/logo.svg": "",
    },
    id: "workers",
    layout: "src/index.ts public",
    entry: "src/index.ts",
    requests: { "GET /logo.svg": ["public", "server"] },
    wrapper: /entry\.default\.fetch\(request, env, context\)/,
  },
  "a plain server": {
    files: {
      "package.json": pack([], { start: "node server.js" }),
      "server.js": 'require("http").createServer(f).listen(80);',
      "index.html": "",
    },
    id: "node",
    layout: "server.js",
    entry: "server.js",
    requests: { "GET /index.html": ["server"] },
  },
  "a server that one file creates and another starts": {
    files: {
      "package.json": pack([], { start: "node bin/www" }),
      "bin/www": 'const app = require("../app"); app.listen(process.env.PORT);',
      "app.js": 'module.exports = require("http").createServer((q, r) => r.end());',
      "index.html": "",
    },
    id: "node",
    layout: "bin/www",
    entry: "bin/www",
    requests: { "GET /index.html": ["server"] },
  },
  "a server named only by main": {
    files: {
      "package.json": '{"main":"lib/app","dependencies":{"koa":"3.0.0"}}',
      "lib/app.js": 'import Koa from "koa"; new Koa().listen(80);',
    },
    id: "koa",
    layout: "lib/app.js",
    entry: "lib/app.js",
  },
  "a server that serves what Vite builds": {
    files: {
      "package.json": pack(["express", "vite", "react"], {
        build: "vite build",
        start: "node server.js",
      }),
      "server.js": EXPRESS,
      "dist/index.html": "",
    },
    id: "express",
    layout: "server.js",
    entry: "server.js",
  },
  "a server for Deno that package.json starts": {
    files: {
      "package.json": pack(["hono"], { start: "deno run -A server.ts" }),
      "server.ts": 'import { Hono } from "hono"; Deno.serve(new Hono().fetch);',
    },
    id: "deno",
    layout: "server.ts",
    entry: "server.ts",
  },
  "a server for Deno": {
    files: {
      "deno.jsonc":
        '{ // tasks\n "tasks": { "start": "deno run -A main.ts" }, "imports": { "hono": "npm:hono@4" }, }',
      "main.ts": 'import { app } from "./app.ts"; Deno.serve(app.fetch);',
    },
    id: "deno",
    layout: "main.ts",
    entry: "main.ts",
  },
};

for (const [name, row] of Object.entries(SERVED)) {
  Deno.test(`findBuilt() runs ${name}`, async () => {
    const inspected = await inspect(row);
    const { detected, found } = inspected;
    assert.equal(detected.framework?.id, row.id);
    const layout = detected.server?.layout;
    assert.equal([layout?.entry, layout?.files ?? []].flat().join(" "), row.layout);
    assert.equal(detected.advice, undefined);
    assert.ok(found.type === "server", JSON.stringify(found));
    assert.equal(found.entry, row.entry);
    assert.match(found.launch.wrapper?.("entry.js") ?? "", row.wrapper ?? /^$/);
    const paths = deployedPaths(row, inspected);
    const manifest = generateManifest(found, { paths, framework: detected.framework });
    assert.deepEqual(validateManifest(manifest, outputFilesOf(paths)), {
      ok: true,
      manifest,
      warnings: [],
    });
    const table = createRouteTable(manifest);
    for (const [request, layers] of Object.entries(row.requests ?? {})) {
      const [method = "", path = ""] = request.split(" ");
      assert.deepEqual(table.match(path, method).map(({ layer }) => layer.name), layers, request);
    }
  });
}
