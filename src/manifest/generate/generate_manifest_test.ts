import assert from "node:assert/strict";
import { detectProject } from "../detect/detect_project.ts";
import { outputFilesOf } from "../output_files.ts";
import { createRouteTable } from "../route_table.ts";
import { validateManifest } from "../validate_manifest.ts";
import { findBuilt, generateManifest } from "./generate_manifest.ts";

interface Project {
  readonly dependencies: Readonly<Record<string, string>>;
  /** Contents of files in the project, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Contents of files in the output, by path. */
  readonly output: Readonly<Record<string, string>>;
}

async function generate({ dependencies, files = {}, output }: Project) {
  const project: Readonly<Record<string, string>> = {
    "package.json": JSON.stringify({ dependencies, scripts: { build: "build" } }),
    ...files,
  };
  const reader = {
    readText: (path: string) => Promise.resolve(project[path]),
    exists: (path: string) => Promise.resolve(path in project),
  };
  const detected = await detectProject(reader);
  const paths = Object.keys(output);
  const found = await findBuilt(detected, {
    directory: "dist",
    paths,
    readText: (path) => Promise.resolve(output[path]),
    project: reader,
  });
  if (found.type === "unusable") return found;
  const manifest = generateManifest(found, { paths, framework: detected.framework });
  return found.type === "server"
    ? { type: found.type, manifest, launch: found.launch }
    : { type: found.type, manifest };
}

const ASTRO: Project = {
  dependencies: { astro: "7.3.5", "@astrojs/node": "11.1.6" },
  files: { "astro.config.mjs": "export default { adapter: node() }" },
  output: {
    "client/_astro/a.Abcd1234.css": "",
    "client/about/index.html": "",
    "server/entry.mjs": "",
    "server/chunks/a.mjs": "",
  },
};

const SVELTEKIT: Project = {
  dependencies: { "@sveltejs/kit": "3.2.0", "@sveltejs/adapter-node": "6.0.1" },
  output: {
    "client/_app/immutable/a.js": "",
    "prerendered/about.html": "",
    "server/index.js": "",
    "index.js": "",
  },
};

const nitro = (info: Record<string, string>, more: Record<string, string> = {}): Project => ({
  dependencies: { nitro: "3.0.0" },
  output: { "nitro.json": JSON.stringify(info), "server/index.mjs": "", ...more },
});

interface Served {
  readonly name: string;
  readonly project: Project;
  /** Part of the launch code, if there is any. */
  readonly launch: string;
  /** For each request, the layers in the order in which they are tried. */
  readonly requests: Readonly<Record<string, readonly string[]>>;
}

const SERVERS: readonly Served[] = [
  {
    name: "Astro",
    project: ASTRO,
    launch: "entry.handler",
    requests: {
      "GET /_astro/a.css": ["client", "client", "server"],
      "HEAD /about": ["client", "server"],
      "POST /about": ["server"],
    },
  },
  {
    name: "SvelteKit",
    project: SVELTEKIT,
    launch: "PROTOCOL_HEADER",
    requests: {
      "GET /_app/immutable/a.js": ["client", "client", "prerendered", "server"],
      "GET /about": ["client", "prerendered", "server"],
      "DELETE /about": ["server"],
    },
  },
  {
    name: "Nuxt",
    project: {
      dependencies: { nuxt: "4.5.2" },
      output: { "public/_nuxt/a.js": "", "server/index.mjs": "" },
    },
    launch: "__svcServer",
    requests: { "GET /_nuxt/b.js": ["public", "public", "server"], "PUT /": ["server"] },
  },
  {
    name: "Nitro without files",
    project: nitro({ preset: "node-server", serverEntry: "server/index.mjs" }),
    launch: "__svcServer",
    requests: { "GET /": ["server"] },
  },
  {
    name: "Nitro as middleware",
    project: nitro({ preset: "node-middleware" }),
    launch: "entry.middleware",
    requests: { "GET /": ["server"] },
  },
];

for (const { name, project, launch, requests } of SERVERS) {
  Deno.test(`generateManifest() creates layers and routes for ${name}`, async () => {
    const generated = await generate(project);
    assert.ok(generated.type === "server", JSON.stringify(generated));
    const { prelude = "", wrapper } = generated.launch;
    assert.match(`${prelude}${wrapper?.("entry.mjs") ?? ""}`, new RegExp(launch));
    const { manifest } = generated;
    const checked = validateManifest(manifest, outputFilesOf(Object.keys(project.output)));
    assert.deepEqual(checked, { ok: true, manifest, warnings: [] });
    const table = createRouteTable(manifest);
    for (const [request, layers] of Object.entries(requests)) {
      const [method = "", path = ""] = request.split(" ");
      assert.deepEqual(table.match(path, method).map(({ layer }) => layer.name), layers, request);
    }
  });
}

Deno.test("generateManifest() creates as many routes for thousands of pages as for one", async () => {
  const pages = Array.from({ length: 5000 }, (_, at) => [`client/p${at}/index.html`, ""]);
  const many = await generate({
    ...ASTRO,
    output: { ...ASTRO.output, ...Object.fromEntries(pages) },
  });
  const few = await generate(ASTRO);
  assert.ok(many.type === "server" && few.type === "server");
  assert.deepEqual(many.manifest, few.manifest);
  assert.equal(few.manifest.routes.length, 3);
});

Deno.test("generateManifest() does not wake the server for a missing immutable file", async () => {
  const generated = await generate(ASTRO);
  assert.ok(generated.type === "server");
  assert.deepEqual(generated.manifest.routes[0], {
    pattern: "^/_astro/",
    layer: "client",
    priority: 30,
    methods: ["GET"],
    fallthrough: false,
  });
});

Deno.test("generateManifest() writes the framework and version to meta", async () => {
  const generated = await generate(SVELTEKIT);
  assert.ok(generated.type === "server");
  assert.deepEqual(generated.manifest.meta, {
    framework: { name: "SvelteKit", version: "3.2.0" },
  });
});

const STATIC: Readonly<Record<string, readonly [Project, string]>> = {
  "Astro without an adapter": [
    { dependencies: { astro: "7.0.0" }, output: { "index.html": "", "client/index.html": "" } },
    ".",
  ],
  "Astro with an adapter that no page needs": [
    { ...ASTRO, output: { "client/index.html": "", "client/_astro/a.css": "" } },
    "client",
  ],
  "SvelteKit with the static adapter": [
    {
      dependencies: { "@sveltejs/kit": "3.2.0", "@sveltejs/adapter-static": "4.0.0" },
      output: { "index.html": "" },
    },
    ".",
  ],
  "Nitro with a static preset": [
    nitro({ preset: "static", publicDir: "public" }, { "public/index.html": "" }),
    "public",
  ],
  "plain files": [{ dependencies: {}, output: { "index.html": "" } }, "."],
};

for (const [name, [project, directory]] of Object.entries(STATIC)) {
  Deno.test(`generateManifest() serves ${name} as files`, async () => {
    const generated = await generate(project);
    assert.ok(generated.type === "static", JSON.stringify(generated));
    assert.equal(generated.manifest.layers[0]?.directory, directory);
  });
}

const UNUSABLE: Readonly<Record<string, readonly [Project, RegExp, RegExp]>> = {
  'Astro with output "server" alone': [
    {
      dependencies: { astro: "7.0.0" },
      files: { "astro.config.mjs": 'export default { output: "server" }' },
      output: { "index.html": "" },
    },
    /Add the adapter "@astrojs\/node"/,
    /npx astro add node/,
  ],
  "Astro with an adapter for another platform": [
    {
      dependencies: { astro: "7.0.0" },
      files: {
        "astro.config.mjs": 'import v from "@astrojs/vercel"; export default { adapter: v() }',
        "pnpm-lock.yaml": "",
      },
      output: { "client/index.html": "", "index.html": "" },
    },
    /"@astrojs\/vercel" builds for another platform/,
    /pnpm exec astro add node/,
  ],
  "SvelteKit with an old adapter-auto": [
    {
      dependencies: { "@sveltejs/kit": "2.5.0", "@sveltejs/adapter-auto": "^3.1.0" },
      files: {
        "svelte.config.js": 'import adapter from "@sveltejs/adapter-auto";',
        "yarn.lock": "",
      },
      output: { "index.html": "" },
    },
    /this version of "@sveltejs\/adapter-auto" supports only other platforms/,
    /Run "yarn add --dev @sveltejs\/adapter-node" and import it in svelte\.config\.js/,
  ],
  "Nitro for another platform": [
    nitro({ preset: "vercel" }),
    /"vercel" builds for another platform/,
    /node_server/,
  ],
  "Nuxt's files without its server": [
    { dependencies: { nuxt: "4.5.2" }, output: { "_nuxt/a.js": "" } },
    /this output has no server/,
    /build\.output_dirs/,
  ],
};

for (const [name, [project, message, hint]] of Object.entries(UNUSABLE)) {
  Deno.test(`generateManifest() gives advice about ${name}`, async () => {
    const generated = await generate(project);
    assert.ok(generated.type === "unusable", JSON.stringify(generated));
    assert.match(generated.message, message);
    assert.match(generated.hint ?? "", hint);
  });
}
