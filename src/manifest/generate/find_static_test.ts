/** Tests projects whose files are published because they have no server. */
import assert from "node:assert/strict";
import { EXPRESS, inspect, pack, type Project } from "./_test_project.ts";

const STATIC: Readonly<Record<string, Project & { readonly folder: string }>> = {
  "React Router with ssr: false": {
    files: {
      "package.json": pack(["@react-router/dev"]),
      "react-router.config.ts": "export default { ssr: false };",
      "build/client/index.html": "",
    },
    folder: ".",
  },
  "a site that its own script builds": {
    files: {
      "package.json": pack([], { build: "node make.js", start: "node make.js" }),
      "make.js": 'require("fs").writeFileSync("dist/index.html", "");',
      "dist/index.html": "",
    },
    folder: ".",
  },
  "a Vite site next to a server without a start script": {
    files: {
      "package.json": pack(["vite", "express"], { build: "vite build" }),
      "server.js": EXPRESS,
      "dist/index.html": "",
    },
    folder: ".",
  },
  "Create React App next to a server without a start script": {
    files: {
      "package.json": pack(["react-scripts", "express"], { start: "react-scripts start" }),
      "server.js": EXPRESS,
      "build/index.html": "",
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
    assert.ok(found.type === "static", JSON.stringify(found));
    assert.equal(found.directory, row.folder);
  });
}

const findStatic = async (project: Project) =>
  (await inspect({ directory: "dist", ...project }, { isStatic: true })).found;

Deno.test("findBuilt() accepts a folder that svc.toml declares as static, unless it contains a server", async () => {
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
  assert.match(whole.message, /contains the server server\.js/);
  const astro = {
    "package.json": pack(["astro"]),
    "dist/server/entry.mjs": "",
    "dist/client/index.html": "",
  };
  assert.equal((await findStatic({ files: astro })).type, "unusable");
});
