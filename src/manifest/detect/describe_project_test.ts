import assert from "node:assert/strict";
import { describeProject, planProject } from "./describe_project.ts";
import { detectProject } from "./detect_project.ts";

type Texts = Readonly<Record<string, string>>;

const detect = (files: Texts) =>
  detectProject({
    readText: (path) => Promise.resolve(files[path]),
    exists: (path) => Promise.resolve(path in files),
  });

const pack = (dependencies: Texts, scripts: Texts = {}) => ({
  "package.json": JSON.stringify({ dependencies, scripts }),
});

const NODE = { engine: "node", reason: "the project has a package.json" } as const;
const ON_NODE = "Node.js (the project has a package.json)";

const ROWS: readonly (readonly [description: string | undefined, files: Texts])[] = [
  [
    `React Router 7.13.0: files from build/client at the edge, server build/server/index.js on ${ON_NODE}`,
    pack({ "@react-router/dev": "7.13.0" }),
  ],
  [
    `Astro 7.3.5: files from dist/client at the edge, server dist/server/entry.mjs on ${ON_NODE}`,
    { ...pack({ astro: "7.3.5" }), "astro.config.mjs": "export default { adapter: node() };" },
  ],
  ["Astro 7.3.5: files from dist at the edge", pack({ astro: "7.3.5" })],
  [
    `SvelteKit 2.63.0: files from build/client at the edge, server build/index.js on ${ON_NODE}`,
    pack({ "@sveltejs/kit": "2.63.0", "@sveltejs/adapter-auto": "7.0.1" }),
  ],
  [
    `Nuxt 4.5.2: files from .output/public at the edge, server .output/server/index.mjs on ${ON_NODE}`,
    pack({ nuxt: "4.5.2" }),
  ],
  [
    `Qwik City 1.20.1: files from dist at the edge, server server/entry.express.js on ${ON_NODE}`,
    pack({ "@builder.io/qwik-city": "1.20.1" }, {
      "build.server": "vite build -c adapters/express",
    }),
  ],
  [
    `Express 4.16.1: server app.js on ${ON_NODE}`,
    {
      ...pack({ express: "~4.16.1", pug: "2.0.0" }, { start: "node app" }),
      "app.js": 'require("express")().listen(80)',
    },
  ],
  ["Vite 8.0.0: files from dist at the edge", pack({ vite: "8.0.0" })],
  [undefined, { "index.html": "" }],
];

for (const [description, files] of ROWS) {
  Deno.test(`describeProject() says ${description ?? "nothing about plain files"}`, async () => {
    const detected = await detect(files);
    const engine = detected.server === undefined ? undefined : NODE;
    assert.equal(describeProject(detected, planProject(detected, engine)), description);
  });
}

Deno.test("planProject() uses the known engine, with its reason", async () => {
  const detected = await detect(pack({ nuxt: "4.5.2" }));
  const plan = planProject(detected, { engine: "node", reason: "svc.toml sets build.runtime" });
  assert.deepEqual(plan, {
    files: ".output/public",
    server: {
      entry: ".output/server/index.mjs",
      engine: "node",
      reason: '"nuxt build" builds a server; "nuxt generate" builds static files',
      engineReason: "svc.toml sets build.runtime",
    },
  });
  assert.match(
    describeProject(detected, plan)!,
    /index\.mjs on Node\.js \(svc\.toml sets build\.runtime\)$/,
  );
});
