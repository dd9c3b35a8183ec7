/** Tests the detection of servers, adapters and workspaces. */
import assert from "node:assert/strict";
import { detectProject } from "./detect_project.ts";

function detect(files: Readonly<Record<string, string>>, framework?: string) {
  return detectProject({
    readText: (path) => Promise.resolve(files[path]),
    exists: (path) => Promise.resolve(path in files),
  }, { framework });
}

const json = (value: unknown) => JSON.stringify(value);

interface Row {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly outputDirs?: readonly string[];
  /** Matches the message and hint; missing if nothing needs to change. */
  readonly advice?: RegExp;
}

const kit = (adapter: string) =>
  json({ devDependencies: { "@sveltejs/kit": "3.2.0", vite: "8.3.8", [adapter]: "6.0.0" } });

const ROWS: readonly Row[] = [
  {
    name: "Astro with @astrojs/node",
    files: {
      "package.json": json({ dependencies: { astro: "7.3.5" } }),
      "astro.config.mjs":
        'import node from "@astrojs/node"; export default { output: "server", adapter: node() }',
    },
  },
  {
    name: "Astro with the Cloudflare adapter",
    files: {
      "package.json": json({ dependencies: { astro: "7.3.5" }, packageManager: "bun@1.3.0" }),
      "astro.config.ts": 'import cf from "@astrojs/cloudflare"; export default { adapter: cf() }',
    },
    advice: /"@astrojs\/cloudflare" builds for another platform.*bunx astro add node/,
  },
  {
    name: "SvelteKit 3 with its adapter in the Vite config",
    files: {
      "package.json": kit("@sveltejs/adapter-auto"),
      "vite.config.ts": 'import adapter from "@sveltejs/adapter-node";\n' +
        'export default { plugins: [sveltekit({ adapter: adapter({ out: "served" }) })] }',
    },
    outputDirs: ["served", "build"],
  },
  {
    name: "SvelteKit with adapter-auto, which a variable switches to adapter-node",
    files: { "package.json": kit("@sveltejs/adapter-auto") },
  },
  {
    name: "SvelteKit with the Vercel adapter",
    files: { "package.json": kit("@sveltejs/adapter-vercel"), "pnpm-lock.yaml": "" },
    advice: /"@sveltejs\/adapter-vercel" builds.*pnpm add --save-dev @sveltejs\/adapter-node/,
  },
  {
    name: "SvelteKit without an adapter",
    files: { "package.json": json({ dependencies: { "@sveltejs/kit": "3.2.0" } }) },
    advice: /no adapter is configured.*npm install --save-dev @sveltejs\/adapter-node/,
  },
  {
    name: "SvelteKit with an unknown adapter",
    files: { "package.json": kit("@acme/adapter-svc") },
  },
  {
    name: "Nuxt with the Netlify preset",
    files: {
      "package.json": json({ dependencies: { nuxt: "4.5.2" }, scripts: { build: "nuxt build" } }),
      "nuxt.config.ts": 'export default defineNuxtConfig({ nitro: { preset: "netlify" } })',
    },
    outputDirs: [".output", ".output/public", "dist"],
    advice: /"netlify" builds for another platform.*NITRO_PRESET=node_server/,
  },
  {
    name: "Nitro with the Node preset",
    files: {
      "package.json": json({ dependencies: { nitro: "3.0.0" } }),
      "nitro.config.ts": 'export default { preset: "node_server" }',
    },
    outputDirs: [".output", ".output/public"],
  },
];

for (const { name, files, outputDirs, advice } of ROWS) {
  Deno.test(`detectProject() advises about ${name}`, async () => {
    const detected = await detect(files);
    assert.ok(detected.server !== undefined);
    if (outputDirs !== undefined) assert.deepEqual(detected.outputDirs, outputDirs);
    if (advice === undefined) assert.equal(detected.advice, undefined);
    else assert.match(`${detected.advice?.message}. ${detected.advice?.hint}`, advice);
  });
}

Deno.test("detectProject() builds Nuxt without a script as a server", async () => {
  const detected = await detect({ "package.json": json({ dependencies: { nuxt: "4.5.2" } }) });
  assert.equal(detected.buildCommand, "npx nuxt build");
});

Deno.test("detectProject() builds Nitro with Vite if it is a Vite plugin", async () => {
  const dependencies = { nitro: "3.0.0", vite: "8.0.0" };
  const detected = await detect({ "package.json": json({ dependencies }) });
  assert.equal(detected.framework?.id, "nitro");
  assert.equal(detected.buildCommand, "npx vite build");
});

Deno.test("detectProject() uses the named framework", async () => {
  const files = { "package.json": json({ dependencies: { astro: "7.3.5", vite: "8.3.8" } }) };
  assert.equal((await detect(files, "vite")).framework?.id, "vite");
  assert.equal((await detect({}, "hugo")).buildCommand, "hugo");
  assert.equal((await detect(files, "unheard-of")).framework, undefined);
});

Deno.test("detectProject() finds the workspace that installs for a project", async () => {
  const detected = await detect({
    "package.json": json({ dependencies: { astro: "^7.0.0" } }),
    "../../package.json": json({ workspaces: ["apps/*"] }),
    "../../package-lock.json": "",
    "../../node_modules/astro/package.json": json({ name: "astro" }).replace(
      "}",
      ',"version":"7.3.5"}',
    ),
  });
  assert.equal(detected.packageManager, "npm");
  assert.equal(detected.installCommand, "npm ci");
  assert.equal(detected.packagesFolder, "../../node_modules");
  assert.equal(detected.framework?.version, "7.3.5");
});

Deno.test("detectProject() ignores parent folders that are not a workspace", async () => {
  const detected = await detect({
    "package.json": json({ dependencies: { astro: "^7.0.0" } }),
    "../package.json": "{}",
    "../yarn.lock": "",
  });
  assert.equal(detected.packageManager, "npm");
  assert.equal(detected.packagesFolder, "node_modules");
});
