import assert from "node:assert/strict";
import { detectProject } from "./detect_project.ts";
import type { DetectedProject } from "./types.ts";

/** Detects an in-memory project whose folders cannot be listed. */
function detect(files: Readonly<Record<string, string>>): Promise<DetectedProject> {
  return detectProject({
    readText: (path) => Promise.resolve(files[path]),
    exists: (path) =>
      Promise.resolve(
        Object.keys(files).some((file) => file === path || file.startsWith(`${path}/`)),
      ),
  });
}

function packageJson(dependencies: Record<string, string>, scripts: Record<string, string> = {}) {
  return JSON.stringify({ devDependencies: dependencies, scripts });
}

const build = (script: string) => ({ build: script });

interface Row {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly framework: string | undefined;
  readonly output: string;
  readonly server?: RegExp;
}

const ROWS: readonly Row[] = [
  {
    name: "Astro without a config",
    files: { "package.json": packageJson({ astro: "^7.0.0" }) },
    framework: "astro",
    output: "dist",
  },
  {
    name: "Astro with outDir and a comment about an adapter",
    files: {
      "package.json": packageJson({ astro: "^7.0.0" }),
      "astro.config.mjs": "// adapter: node()\nexport default defineConfig({ outDir: './web' })",
    },
    framework: "astro",
    output: "web",
  },
  {
    name: "Astro with a server adapter",
    files: {
      "package.json": packageJson({ astro: "7" }),
      "astro.config.ts": "export default defineConfig({ adapter: node({ mode: 'standalone' }) })",
    },
    framework: "astro",
    output: "dist",
    server: /astro\.config\.ts sets a server adapter/,
  },
  {
    name: "Astro with output server",
    files: {
      "package.json": packageJson({ astro: "7" }),
      "astro.config.mjs": "export default { output: 'server' }",
    },
    framework: "astro",
    output: "dist",
    server: /output "server"/,
  },
  {
    name: "Nuxt generated",
    files: { "package.json": packageJson({ nuxt: "^4.0.0" }, build("nuxt generate")) },
    framework: "nuxt",
    output: ".output/public",
  },
  {
    name: "Nuxt built",
    files: { "package.json": packageJson({ nuxt: "^4.0.0" }, build("nuxt build")) },
    framework: "nuxt",
    output: ".output",
    server: /nuxt generate/,
  },
  {
    name: "Nuxt with a static preset",
    files: {
      "package.json": packageJson({ nuxt: "^4.0.0" }, build("nuxt build")),
      "nuxt.config.ts": "export default defineNuxtConfig({ nitro: { preset: 'static' } })",
    },
    framework: "nuxt",
    output: ".output/public",
  },
  {
    name: "SvelteKit with the static adapter",
    files: {
      "package.json": packageJson({
        "@sveltejs/kit": "2",
        "@sveltejs/adapter-static": "3",
        vite: "7",
      }),
      "svelte.config.js": "import adapter from '@sveltejs/adapter-static';",
    },
    framework: "sveltekit",
    output: "build",
  },
  {
    name: "SvelteKit with the node adapter",
    files: {
      "package.json": packageJson({
        "@sveltejs/kit": "2",
        "@sveltejs/adapter-node": "5",
        vite: "7",
      }),
    },
    framework: "sveltekit",
    output: "build",
    server: /adapter-node/,
  },
  {
    name: "Nitro",
    files: { "package.json": packageJson({ nitropack: "2" }) },
    framework: "nitro",
    output: ".output",
    server: /Nitro/,
  },
  {
    name: "Nitro with a static preset",
    files: {
      "package.json": packageJson({ nitro: "3" }),
      "nitro.config.ts": 'export default { preset: "github_pages" }',
    },
    framework: "nitro",
    output: ".output/public",
  },
  {
    name: "Next.js exported",
    files: {
      "package.json": packageJson({ next: "16.0.0" }),
      "next.config.mjs": 'export default { output: "export" }',
    },
    framework: "next",
    output: "out",
  },
  {
    name: "Next.js as a server",
    files: { "package.json": packageJson({ next: "16.0.0" }) },
    framework: "next",
    output: ".next/standalone",
    server: /Next\.js/,
  },
  {
    name: "Vite with outDir",
    files: {
      "package.json": packageJson({ vite: "7" }),
      "vite.config.ts": "export default { build: { outDir: './docs/' } }",
    },
    framework: "vite",
    output: "docs",
  },
  {
    name: "Eleventy with its output set by a call",
    files: {
      "package.json": packageJson({ "@11ty/eleventy": "3" }),
      "eleventy.config.js": 'export default (c) => { c.setOutputDirectory("www") }',
    },
    framework: "eleventy",
    output: "www",
  },
  {
    name: "Hugo",
    files: { "hugo.toml": 'title = "x"\npublishDir = "site" # here\n' },
    framework: "hugo",
    output: "site",
  },
  {
    name: "Docusaurus",
    files: { "package.json": packageJson({ "@docusaurus/core": "3" }) },
    framework: "docusaurus",
    output: "build",
  },
  {
    name: "VitePress in docs",
    files: {
      "package.json": packageJson({ vitepress: "1", vite: "7" }, build("vitepress build docs")),
      "docs/.vitepress/config.mts": "export default {}",
    },
    framework: "vitepress",
    output: "docs/.vitepress/dist",
  },
  { name: "plain files", files: { "index.html": "" }, framework: undefined, output: "." },
  {
    name: "an unknown build",
    files: { "index.html": "", "package.json": packageJson({}, build("make")) },
    framework: undefined,
    output: "dist",
  },
  {
    name: "a package.json that is not JSON",
    files: { "package.json": "{", "index.html": "" },
    framework: undefined,
    output: ".",
  },
];

for (const row of ROWS) {
  Deno.test(`detectProject() recognizes ${row.name}`, async () => {
    const project = await detect(row.files);
    assert.equal(project.framework?.id, row.framework);
    assert.equal(project.outputDirs[0], row.output);
    if (row.server === undefined) assert.equal(project.server, undefined);
    else assert.match(project.server?.reason ?? "", row.server);
  });
}

/**
 * URLs that frameworks use in links to pages, if they differ from the URLs of the written files.
 */
const URLS: readonly (readonly [string, Record<string, string>, DetectedProject["urls"]])[] = [
  ["Nuxt", { "package.json": packageJson({ nuxt: "4" }) }, { trailingSlash: "never" }],
  ["React Router", { "package.json": packageJson({ "@react-router/dev": "7" }) }, {
    trailingSlash: "never",
  }],
  ["Docusaurus", { "package.json": packageJson({ "@docusaurus/core": "3" }) }, {
    trailingSlash: "never",
  }],
  ["Docusaurus that writes the pages that it links to", {
    "package.json": packageJson({ "@docusaurus/core": "3" }),
    "docusaurus.config.js": "export default { trailingSlash: true }",
  }, undefined],
  ["VitePress", { "package.json": packageJson({ vitepress: "1" }) }, { cleanUrls: false }],
  ["VitePress with clean URLs", {
    "package.json": packageJson({ vitepress: "1" }),
    ".vitepress/config.ts": "export default { cleanUrls: true }",
  }, undefined],
  ["Astro", { "package.json": packageJson({ astro: "7" }) }, undefined],
  ["Astro without slashes", {
    "package.json": packageJson({ astro: "7" }),
    "astro.config.mjs": 'export default { trailingSlash: "never" }',
  }, { trailingSlash: "never" }],
  ["Next.js", {
    "package.json": packageJson({ next: "16" }),
    "next.config.js": 'module.exports = { output: "export", trailingSlash: true }',
  }, undefined],
  ["SvelteKit", { "package.json": packageJson({ "@sveltejs/kit": "2" }) }, undefined],
];

for (const [name, files, urls] of URLS) {
  Deno.test(`detectProject() detects the page URLs for ${name}`, async () => {
    assert.deepEqual((await detect(files)).urls, urls);
  });
}

const MANAGERS: readonly (readonly [string, Record<string, string>, string, string])[] = [
  ["npm", {}, "npm install", "npx astro build"],
  ["npm", { "package-lock.json": "" }, "npm ci", "npx astro build"],
  ["pnpm", { "pnpm-lock.yaml": "" }, "pnpm install --frozen-lockfile", "pnpm exec astro build"],
  ["yarn", { "yarn.lock": "" }, "yarn install --frozen-lockfile", "yarn run astro build"],
  [
    "yarn",
    { "yarn.lock": "", ".yarnrc.yml": "" },
    "yarn install --immutable",
    "yarn run astro build",
  ],
  ["bun", { "bun.lock": "" }, "bun install --frozen-lockfile", "bunx astro build"],
  ["deno", { "deno.json": "{}" }, "deno install", "deno run -A npm:astro build"],
];

for (const [manager, files, install, command] of MANAGERS) {
  Deno.test(`detectProject() installs with ${manager} by running "${install}"`, async () => {
    const project = await detect({ "package.json": packageJson({ astro: "7.0.0" }), ...files });
    assert.equal(project.packageManager, manager);
    assert.equal(project.installCommand, install);
    assert.equal(project.buildCommand, command);
  });
}

Deno.test("detectProject() prefers the scripts and packageManager of package.json to other signs", async () => {
  const project = await detect({
    "package.json": JSON.stringify({
      dependencies: { astro: "^7.0.0" },
      scripts: { build: "astro check && astro build", start: "astro dev" },
      packageManager: "pnpm@9.1.0",
    }),
    "package-lock.json": "",
  });
  assert.equal(project.packageManager, "pnpm");
  assert.equal(project.buildCommand, "pnpm run build");
  assert.equal(project.devCommand, "pnpm run start");
});

const VERSIONS: readonly (readonly [string, Record<string, string>, string | undefined])[] = [
  [
    "the installed package",
    { "node_modules/astro/package.json": '{ "version": "7.1.2" }' },
    "7.1.2",
  ],
  [
    "package-lock.json",
    { "package-lock.json": '{"packages":{"node_modules/astro": {\n  "version": "7.1.3"}}}' },
    "7.1.3",
  ],
  [
    "pnpm-lock.yaml",
    {
      "pnpm-lock.yaml":
        "      astro:\n        specifier: ^7.0.0\n        version: 7.1.4(x@1.0.0)\n",
    },
    "7.1.4",
  ],
  ["yarn.lock", { "yarn.lock": 'astro@^7.0.0:\n  version "7.1.5"\n' }, "7.1.5"],
  ["bun.lock", { "bun.lock": '"astro": ["astro@7.1.6", ""]' }, "7.1.6"],
  ["the range", {}, "7.0.0"],
];

for (const [source, files, version] of VERSIONS) {
  Deno.test(`detectProject() reads the version from ${source}`, async () => {
    const project = await detect({ "package.json": packageJson({ astro: "^7.0.0" }), ...files });
    assert.equal(project.framework?.version, version);
  });
}

Deno.test("detectProject() returns no version for the range latest", async () => {
  const project = await detect({ "package.json": packageJson({ astro: "latest" }) });
  assert.deepEqual(project.framework, { id: "astro", name: "Astro" });
});

Deno.test("detectProject() skips dev servers of other platforms", async () => {
  const scripts = { dev: "netlify dev --port 8888", start: "npx vercel dev" };
  const found = await detect({ "package.json": packageJson({ vite: "7" }, scripts) });
  assert.equal(found.devCommand, "npx vite");
  const own = await detect({ "package.json": packageJson({ vite: "7" }, { dev: "vite" }) });
  assert.equal(own.devCommand, "npm run dev");
});
