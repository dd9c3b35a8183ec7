import assert from "node:assert/strict";
import { generateManifest } from "../generate/generate_manifest.ts";
import { createRouteTable } from "../route_table.ts";
import { outputFilesOf } from "../output_files.ts";
import { validateManifest } from "../validate_manifest.ts";
import { findNext } from "./next_server.ts";

type Files = Readonly<Record<string, string>>;

interface Built {
  /** The output folder, relative to the project. */
  readonly directory?: string;
  /** Contents of files in the output, by path. */
  readonly output: Files;
  /** Contents of files in the project, by path. */
  readonly project?: Files;
}

function find({ directory = ".next/standalone", output, project = {} }: Built) {
  return findNext({
    directory,
    paths: Object.keys(output),
    readText: (path) => Promise.resolve(output[path]),
    project: {
      readText: (path) => Promise.resolve(project[path]),
      exists: (path) => Promise.resolve(Object.keys(project).some((file) => file.startsWith(path))),
    },
  });
}

async function findServer(built: Built) {
  const found = await find(built);
  assert.ok(found.type === "server", JSON.stringify(found));
  return found;
}

const facts = (config: Record<string, unknown> = {}) =>
  JSON.stringify({ version: 1, config: { distDir: ".next", ...config } });

/** Creates a standalone build with a config, and with other files in its build folder. */
const standalone = (config: Record<string, unknown> = {}, more: Files = {}): Files => ({
  "server.js": "",
  ".next/required-server-files.json": facts(config),
  ...Object.fromEntries(Object.entries(more).map(([path, text]) => [`.next/${path}`, text])),
});

/** Generates the manifest for a found server, and returns its routes. */
async function manifestOf(built: Built, files: readonly string[]) {
  const found = await findServer(built);
  const manifest = generateManifest(found, { paths: files, framework: undefined });
  assert.deepEqual(validateManifest(manifest, outputFilesOf(files)), {
    ok: true,
    manifest,
    warnings: [],
  });
  const table = createRouteTable(manifest);
  return {
    manifest,
    layersFor: (path: string) => table.match(path, "GET").map(({ layer }) => layer.name),
  };
}

Deno.test("findNext() combines server, assets and public files", async () => {
  const found = await findServer({ output: standalone() });
  assert.deepEqual(found.placements, [
    { from: ".next/standalone", to: "server" },
    { from: ".next/static", to: "server/.next/static" },
    { from: "public", to: "server/public", optional: true },
    { from: "public", to: "client", optional: true },
    { from: ".next/static", to: "client/_next/static" },
  ]);
  assert.equal(found.entry, "server/server.js");
});

Deno.test("findNext() finds the app of a workspace inside the standalone folder", async () => {
  const found = await findServer({
    output: {
      "apps/web/server.js": "",
      "apps/web/.next/required-server-files.json": facts(),
      "packages/ui/index.js": "",
    },
  });
  assert.equal(found.entry, "server/apps/web/server.js");
  assert.deepEqual(found.placements?.map(({ to }) => to), [
    "server",
    "server/apps/web/.next/static",
    "server/apps/web/public",
    "client",
    "client/_next/static",
  ]);
});

Deno.test("findNext() follows distDir, basePath and assetPrefix", async () => {
  const found = await findServer({
    directory: "web/standalone",
    output: {
      "server.js": "",
      "web/required-server-files.json": facts({
        distDir: "./web",
        basePath: "/docs",
        assetPrefix: "/cdn",
      }),
    },
  });
  assert.deepEqual(found.placements, [
    { from: "web/standalone", to: "server" },
    { from: "web/static", to: "server/web/static" },
    { from: "public", to: "server/public", optional: true },
    { from: "public", to: "client/docs", optional: true },
    { from: "web/static", to: "client/docs/_next/static" },
    { from: "web/static", to: "client/cdn/_next/static" },
  ]);
  assert.deepEqual(found.hashedFolders, ["/docs/_next/static/", "/cdn/_next/static/"]);
  assert.match(found.launch.wrapper?.("server.js") ?? "", /distDir: "\.\/web"/);
});

const DEPLOYED = ["server/server.js", "client/logo.svg", "client/_next/static/a.js"];

Deno.test("findNext() does not wake the server for a missing asset", async () => {
  const { manifest, layersFor } = await manifestOf({ output: standalone() }, DEPLOYED);
  assert.deepEqual(manifest.routes[0], {
    pattern: "^/_next/static/",
    layer: "client",
    priority: 30,
    methods: ["GET"],
    fallthrough: false,
  });
  assert.deepEqual(layersFor("/logo.svg"), ["client", "server"]);
  assert.deepEqual(manifest.layers.at(-1)?.target === "COMPUTE" && manifest.layers.at(-1), {
    name: "server",
    target: "COMPUTE",
    directory: "server",
    entry: "server/server.js",
    runtime: { memoryMb: 512 },
  });
});

Deno.test("findNext() lets the edge convert images only if the edge supports all declared settings", async () => {
  const declared = { deviceSizes: [640], imageSizes: [32], qualities: [75], path: "/_next/image" };
  const found = await findServer({ output: standalone({ images: declared }) });
  assert.deepEqual(found.images?.endpoints, [{ path: "/_next/image", style: "next" }]);
  assert.deepEqual(found.images?.sizes, [640, 32]);
  const remotePatterns = [{ protocol: "ftp", hostname: "**" }];
  const other = await findServer({
    output: standalone({ images: { ...declared, remotePatterns } }),
  });
  assert.equal(other.images, undefined);
});

const middleware = (regexp: string) =>
  JSON.stringify({ version: 3, middleware: { "/": { matchers: [{ regexp }] } } });

const proxy = (regexp: string) =>
  JSON.stringify({ version: 1, functions: { "/_middleware": { matchers: [{ regexp }] } } });

const header = (regex: string, more = {}) =>
  JSON.stringify({ headers: [{ regex, headers: [], ...more }], redirects: [], rewrites: [] });

const BEFORE_FILES: Readonly<Record<string, readonly [Files, string, readonly string[]]>> = {
  "middleware in the edge runtime": [
    { "server/middleware-manifest.json": middleware("^/guarded(?:/.*)?$") },
    "/Guarded/map.pdf",
    ["server", "client", "server"],
  ],
  "a proxy on Node": [
    { "server/functions-config-manifest.json": proxy("^/guarded(?:/.*)?$") },
    "/guarded/map.pdf",
    ["server", "client", "server"],
  ],
  "middleware with a matcher that RE2 does not support": [
    { "server/middleware-manifest.json": middleware("^/(?!api).*$") },
    "/logo.svg",
    ["server", "client", "server"],
  ],
  "headers in next.config": [
    { "routes-manifest.json": header("^/fonts(?:/.*)$") },
    "/fonts/a.woff2",
    ["server", "client", "server"],
  ],
  "rules that Next.js adds itself": [
    { "routes-manifest.json": header("^/.*$", { internal: true }) },
    "/logo.svg",
    ["client", "server"],
  ],
};

for (const [name, [files, path, layers]] of Object.entries(BEFORE_FILES)) {
  Deno.test(`findNext() chooses which layer comes first with ${name}`, async () => {
    const { layersFor } = await manifestOf({ output: standalone({}, files) }, DEPLOYED);
    assert.deepEqual(layersFor(path), layers);
    assert.deepEqual(layersFor("/_next/static/a.js")[0], "client");
  });
}

Deno.test("findNext() maps exported files with a base path", async () => {
  const output = { "index.html": "", "404.html": "" };
  assert.deepEqual(await find({ directory: "out", output }), { type: "static", directory: "." });
  const routes = JSON.stringify({ basePath: "/docs" });
  const project = { ".next/routes-manifest.json": routes };
  assert.deepEqual(await find({ directory: "out", output, project }), {
    type: "static",
    directory: "site",
    placements: [{ from: "out", to: "site/docs" }],
  });
});

Deno.test("findNext() finds the export if the config computes the output setting", async () => {
  const found = await find({
    directory: ".next",
    output: { "export-detail.json": JSON.stringify({ outDirectory: "/home/me/app/out" }) },
    project: { "out/index.html": "" },
  });
  assert.deepEqual(found, {
    type: "static",
    directory: "site",
    placements: [{ from: "out", to: "site" }],
  });
});

Deno.test("findNext() gives advice if there is no standalone server", async () => {
  const found = await find({ directory: ".next", output: { "BUILD_ID": "a" } });
  assert.ok(found.type === "unusable");
  assert.match(found.message, /output "standalone": \.next has no standalone server/);
  assert.match(found.hint ?? "", /output: "standalone".*NEXT_PRIVATE_STANDALONE/);
});
