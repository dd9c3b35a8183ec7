import assert from "node:assert/strict";
import { inspect, pack, type Project } from "./_test_project.ts";

const VITE = { "package.json": pack(["vite"], { build: "vite build" }), "dist/assets/a.js": "" };
const ANGULAR = (options: unknown, builder = "@angular/build:application") => ({
  "package.json": pack(["@angular/core", "@angular/cli"], { build: "ng build", start: "ng serve" }),
  "angular.json": JSON.stringify({
    projects: {
      lib: { projectType: "library", architect: {} },
      shop: { projectType: "application", architect: { build: { builder, options } } },
    },
  }),
});

/** A project, its output folder and its fallback page. */
const ROWS: Readonly<Record<string, readonly [Project, string, string | undefined]>> = {
  "Vite": [{ files: { ...VITE, "dist/index.html": "" } }, "dist", "index.html"],
  "Vite with a copied page": [
    { files: { ...VITE, "dist/index.html": "", "dist/g1.html": "", "public/g1.html": "" } },
    "dist",
    "index.html",
  ],
  "Vite with several pages": [
    { files: { ...VITE, "dist/index.html": "", "dist/about/index.html": "" } },
    "dist",
    undefined,
  ],
  "Vite with its own 404 page": [
    { files: { ...VITE, "dist/index.html": "", "dist/404.html": "", "public/404.html": "" } },
    "dist",
    undefined,
  ],
  "Vite with appType mpa": [
    {
      files: {
        ...VITE,
        "vite.config.ts": 'export default { appType: "mpa" }',
        "dist/index.html": "",
      },
    },
    "dist",
    undefined,
  ],
  "Vite with a base path as a folder": [
    { files: { ...VITE, "dist/app/index.html": "" } },
    "dist",
    "app/index.html",
  ],
  "a Vite library with its types": [
    { files: { ...VITE, "dist/docs/api.html": "" } },
    "dist",
    undefined,
  ],
  "Create React App": [
    {
      files: {
        "package.json": pack(["react-scripts", "express"], { start: "react-scripts start" }),
        "build/index.html": "",
      },
    },
    "build",
    "index.html",
  ],
  "Vue CLI with a custom folder": [
    {
      files: {
        "package.json": pack(["@vue/cli-service"]),
        "vue.config.js": 'module.exports = { outputDir: "www" };',
        "www/index.html": "",
      },
    },
    "www",
    "index.html",
  ],
  "Rsbuild": [
    { files: { "package.json": pack(["@rsbuild/core"]), "dist/index.html": "" } },
    "dist",
    "index.html",
  ],
  "Parcel with a custom folder": [
    {
      files: {
        "package.json": pack(["parcel"], { build: "parcel build src/index.html --dist-dir web" }),
        "web/index.html": "",
      },
    },
    "web",
    "index.html",
  ],
  "Angular": [
    { files: { ...ANGULAR({}), "dist/shop/browser/index.html": "" } },
    "dist/shop/browser",
    "index.html",
  ],
  "Angular with its older builder": [
    {
      files: {
        ...ANGULAR({ outputPath: "dist" }, "@angular-devkit/build-angular:browser"),
        "dist/index.html": "",
      },
    },
    "dist",
    "index.html",
  ],
  "Angular with prerendered pages": [
    {
      files: {
        ...ANGULAR({ ssr: true, outputMode: "static" }),
        "dist/shop/browser/index.html": "",
        "dist/shop/browser/about/index.html": "",
      },
    },
    "dist/shop/browser",
    undefined,
  ],
  "React Router without a server": [
    {
      files: {
        "package.json": pack(["@react-router/dev"]),
        "react-router.config.ts": "export default { ssr: false };",
        "build/client/index.html": "",
      },
    },
    "build/client",
    "index.html",
  ],
  "React Router with prerendered pages": [
    {
      files: {
        "package.json": pack(["@react-router/dev"]),
        "react-router.config.ts": 'export default { ssr: false, prerender: ["/", "/a"] };',
        "build/client/index.html": "",
        "build/client/a/index.html": "",
        "build/client/__spa-fallback.html": "",
      },
    },
    "build/client",
    "__spa-fallback.html",
  ],
  "Eleventy": [
    { files: { "package.json": pack(["@11ty/eleventy"]), "_site/index.html": "" } },
    "_site",
    undefined,
  ],
  "plain files": [{ files: { "index.html": "" } }, ".", undefined],
};

for (const [name, [project, folder, fallback]] of Object.entries(ROWS)) {
  Deno.test(`findBuilt() finds the page for unknown paths with ${name}`, async () => {
    const result = await inspect(project);
    const { found } = result;
    assert.equal(result.folder, folder);
    assert.ok(found.type === "static", JSON.stringify(found));
    assert.equal(found.fallback, fallback);
  });
}

Deno.test("findBuilt() runs the Angular server next to its files", async () => {
  const { detected, found, folder } = await inspect({
    files: {
      ...ANGULAR({ ssr: { entry: "src/server.ts" }, outputMode: "server" }),
      "dist/shop/browser/index.csr.html": "",
      "dist/shop/server/server.mjs": "export const reqHandler = 1;",
      "src/server.ts": 'import express from "express"; express().listen(4000);',
    },
  });
  assert.equal(folder, "dist/shop");
  assert.equal(detected.server?.layout?.entry, "dist/shop/server/server.mjs");
  assert.ok(found.type === "server", JSON.stringify(found));
  assert.equal(found.entry, "server/server.mjs");
  assert.deepEqual(found.clients, ["browser"]);
});
