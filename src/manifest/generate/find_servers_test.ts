/** What detection and `find` make of projects with a server: what runs, from where, and how. */
import assert from "node:assert/strict";
import { detectProject } from "../detect/detect_project.ts";
import { outputFilesOf } from "../output_files.ts";
import { createRouteTable } from "../route_table.ts";
import { validateManifest } from "../validate_manifest.ts";
import { type BuiltOptions, findBuilt, generateManifest } from "./generate_manifest.ts";

type Texts = Readonly<Record<string, string>>;

interface Project {
  /** Texts of the project's files, those of the build among them. */
  readonly files: Texts;
  /** The output directory; the first that detection names where missing. */
  readonly directory?: string;
}

function readerOf(files: Texts) {
  const folders = new Set(
    Object.keys(files).flatMap((path) =>
      path.split("/").slice(1).map((_, at) => path.split("/").slice(0, at + 1).join("/"))
    ),
  );
  return {
    readText: (path: string) => Promise.resolve(files[path]),
    exists: (path: string) => Promise.resolve(path in files || folders.has(path)),
  };
}

async function inspect({ files, directory }: Project, options: BuiltOptions = {}) {
  const project = readerOf(files);
  const detected = await detectProject(project);
  const folder = directory ?? detected.outputDirs[0] ?? ".";
  const prefix = folder === "." ? "" : `${folder}/`;
  const found = await findBuilt(detected, {
    directory: folder,
    paths: Object.keys(files).filter((path) => path.startsWith(prefix))
      .map((path) => path.slice(prefix.length)),
    readText: (path) => Promise.resolve(files[prefix + path]),
    project,
  }, options);
  return { detected, found, folder };
}

/** Paths of what is deployed: of the output, or of what placements bring. */
function deployedPaths(
  { files }: Project,
  { found, folder }: Awaited<ReturnType<typeof inspect>>,
): string[] {
  const placements = found.type === "server" && found.placements !== undefined
    ? found.placements
    : [{ from: folder, to: "." }];
  const moved = Object.keys(files).flatMap((path) =>
    placements.flatMap(({ from, to }) => {
      if (from === ".") return [path];
      if (!path.startsWith(`${from}/`)) return [];
      const rest = path.slice(from.length + 1);
      return [to === "." ? rest : `${to}/${rest}`];
    })
  );
  return [...new Set(moved)];
}

const pack = (
  dependencies: readonly string[],
  scripts: Readonly<Record<string, string>> = {},
) =>
  JSON.stringify({
    scripts,
    dependencies: Object.fromEntries(dependencies.map((name) => [name, "^1.2.3"])),
  });

const EXPRESS = 'require("express")().listen(3000);';

interface Served extends Project {
  readonly id: string;
  /** Where the server will be, as `svc init` shows it. */
  readonly layout: string;
  readonly entry: string;
  /** Layers that are asked in turn, by request. */
  readonly requests?: Readonly<Record<string, readonly string[]>>;
  readonly node?: RegExp;
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
  "React Router with a server of the project's own": {
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
  "Express by its generator": {
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
    node: /view engine "pug"/,
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
  "Fastify by its generator": {
    files: {
      "package.json": pack(["fastify", "@fastify/autoload"], {
        start: "fastify start -l info app.js",
      }),
      "app.js": "export default async function (fastify) {}",
    },
    id: "fastify",
    layout: "app.js",
    entry: "app.js",
    node: /@fastify\/autoload/,
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
  "a server that one file makes and another starts": {
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
  "a server that only main names": {
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
    assert.match(found.node ?? "", row.node ?? /^$/);
    assert.equal(layout?.node, found.node);
    assert.match(found.launch.wrapper?.("entry.js") ?? "", row.wrapper ?? /^$/);
    const paths = deployedPaths(row, inspected);
    const manifest = generateManifest(found, { paths, framework: detected.framework });
    assert.deepEqual(validateManifest(manifest, outputFilesOf(paths)), { ok: true, manifest });
    const table = createRouteTable(manifest);
    for (const [request, layers] of Object.entries(row.requests ?? {})) {
      const [method = "", path = ""] = request.split(" ");
      assert.deepEqual(table.match(path, method).map(({ layer }) => layer.name), layers, request);
    }
  });
}

const STATIC: Readonly<Record<string, Project & { readonly folder: string }>> = {
  "React Router with ssr: false": {
    files: {
      "package.json": pack(["@react-router/dev"]),
      "react-router.config.ts": "export default { ssr: false };",
      "build/client/index.html": "",
    },
    folder: ".",
  },
  "a site that a script of its own builds": {
    files: {
      "package.json": pack([], { build: "node make.js", start: "node make.js" }),
      "make.js": 'require("fs").writeFileSync("dist/index.html", "");',
      "dist/index.html": "",
    },
    folder: ".",
  },
  "a site of Vite beside a server without a start script": {
    files: {
      "package.json": pack(["vite", "express"], { build: "vite build" }),
      "server.js": EXPRESS,
      "dist/index.html": "",
    },
    folder: ".",
  },
  "Qwik with the static adapter": {
    files: {
      "package.json": pack(["@builder.io/qwik-city"], {
        "build.server": "vite build -c adapters/static/vite.config.ts",
      }),
      "dist/index.html": "",
    },
    folder: ".",
  },
};

for (const [name, row] of Object.entries(STATIC)) {
  Deno.test(`findBuilt() serves the files of ${name}`, async () => {
    const { detected, found } = await inspect(row);
    assert.equal(detected.server, undefined);
    assert.deepEqual(found, { type: "static", directory: row.folder });
  });
}

const REFUSED: Readonly<Record<string, readonly [Project, RegExp]>> = {
  "Qwik as scaffolded": [
    {
      files: {
        "package.json": pack(["@builder.io/qwik-city"], { build: "qwik build" }),
        "dist/build/q.js": "",
      },
    },
    /Add an adapter to Qwik.*npx qwik add express/,
  ],
  "Elysia without an adapter": [
    {
      files: {
        "package.json": pack(["elysia"], { start: "bun src/index.ts" }),
        "src/index.ts": 'import { Elysia } from "elysia"; new Elysia().listen(3000);',
      },
    },
    /Give Elysia its adapter for Node.*npm install @elysiajs\/node/,
  ],
  "a server of Bun": [
    {
      files: {
        "package.json": pack([], { start: "bun server.ts" }),
        "server.ts": "Bun.serve({ fetch: () => new Response() });",
      },
    },
    /server\.ts calls Bun\.serve\(\), which only Bun has.*Deno\.serve\(\) or node:http/,
  ],
  "a worker with bindings": [
    {
      files: {
        "package.json": pack(["wrangler"]),
        "wrangler.toml": 'main = "src/index.ts"\n[[kv_namespaces]]\nbinding = "KV"\n',
        "src/index.ts": "",
      },
    },
    /wrangler\.toml sets kv_namespaces/,
  ],
  "TanStack Start for Cloudflare": [
    {
      files: {
        "package.json": pack(["@tanstack/react-start", "@cloudflare/vite-plugin"]),
        "vite.config.ts": 'import { cloudflare } from "@cloudflare/vite-plugin";',
        "dist/client/a.js": "",
      },
    },
    /Remove the plugin "@cloudflare\/vite-plugin".*Delete it from vite\.config\.ts/,
  ],
  "Remix by its classic compiler": [
    {
      files: {
        "package.json": pack(["@remix-run/dev"]),
        "remix.config.js": "",
        "build/index.js": "",
      },
    },
    /Build Remix by Vite/,
  ],
  "React Router with server bundles": [
    {
      files: { "package.json": pack(["@react-router/dev"]), "build/server/a/index.js": "" },
    },
    /serverBundles/,
  ],
  "a server whose build did not run": [
    { files: { "package.json": pack(["express"], { build: "tsc", start: "node dist/index.js" }) } },
    /Cannot find dist\/index\.js, which script "start" runs/,
  ],
  "a server in an output": [
    {
      files: {
        "package.json": pack([], { build: "make" }),
        "dist/client/a.css": "",
        "dist/server/main.js": "export default { fetch: handle };",
      },
      directory: "dist",
    },
    /main\.js exports a fetch handler.*dist\/\.svc\/manifest\.json: \{"version":1,"layers":\[\{"name":"client","target":"STATIC","directory":"client"\},\{"name":"server","target":"COMPUTE","directory":"server","entry":"server\/main\.js"\}\].*static = true/,
  ],
};

for (const [name, [project, expected]] of Object.entries(REFUSED)) {
  Deno.test(`findBuilt() refuses ${name}`, async () => {
    const { found } = await inspect(project);
    assert.ok(found.type === "unusable", JSON.stringify(found));
    assert.match(`${found.message}. ${found.hint}`, expected);
  });
}

Deno.test("findBuilt() proposes a manifest that is right for the output", async () => {
  const { found } = await inspect(REFUSED["a server in an output"]![0]);
  assert.ok(found.type === "unusable");
  const manifest: unknown = JSON.parse(/(\{"version".*\});/.exec(found.hint ?? "")?.[1] ?? "");
  const checked = validateManifest(manifest, outputFilesOf(["client/a.css", "server/main.js"]));
  assert.equal(checked.ok, true, JSON.stringify(checked));
});

const findStatic = async (project: Project) =>
  (await inspect({ directory: "dist", ...project }, { isStatic: true })).found;

Deno.test("findBuilt() publishes what svc.toml says is static", async () => {
  const widget = { "package.json": pack([]), "dist/index.js": "export default { fetch() {} };" };
  assert.deepEqual(await findStatic({ files: widget }), { type: "static", directory: "." });
  const site = {
    "package.json": pack(["express"], { start: "node server.js" }),
    "server.js": EXPRESS,
    "dist/index.html": "",
  };
  assert.deepEqual(await findStatic({ files: site }), { type: "static", directory: "." });
  const whole = await findStatic({ files: site, directory: "." });
  assert.ok(whole.type === "unusable");
  assert.match(whole.message, /has the server server\.js/);
  const astro = {
    "package.json": pack(["astro"]),
    "dist/server/entry.mjs": "",
    "dist/client/index.html": "",
  };
  assert.equal((await findStatic({ files: astro })).type, "unusable");
});
