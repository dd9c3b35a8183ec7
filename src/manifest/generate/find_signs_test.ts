/**
 * Tests projects in which no framework or server is detected. Projects with signs of a server must
 * not be published.
 */
import assert from "node:assert/strict";
import type { BuiltOptions } from "./generate_manifest.ts";
import { EXPRESS, inspect, pack, type Project } from "./_test_project.ts";

const PAGE = { "index.html": "<h1>hi</h1>" };
/** A build script that builds the site without the image. */
const BUILT_BESIDE = { "package.json": pack([], { build: "node build.mjs" }) };

/** A project, and the lines that list the signs of its server. */
const REFUSED: Readonly<Record<string, Project & { readonly seen: readonly string[] }>> = {
  "an app that an unknown program starts": {
    files: { ...PAGE, "package.json": pack(["h3"], { start: "listhen ./server" }) },
    seen: ["package.json:1 requires h3", 'package.json:1 has the script "start": listhen ./server'],
  },
  "Strapi, which is a complete server": {
    files: { "package.json": pack(["@strapi/strapi"]), "public/index.html": "" },
    directory: "public",
    seen: ["package.json:1 runs @strapi/strapi"],
  },
  "a Python function next to pages": {
    files: { ...PAGE, "api/hello.py": "class handler:\n  pass" },
    seen: ["api/hello.py:1 is a Vercel function"],
  },
  "functions of Cloudflare Pages": {
    files: { ...PAGE, "functions/[[path]].js": "export const onRequest = () => new Response();" },
    seen: ["functions/[[path]].js:1 is a Cloudflare function"],
  },
  "Flask": {
    files: {
      "requirements.txt": "# web\nFlask==3.1\n",
      "app.py": "import os\nfrom flask import Flask\n",
      "static/a.css": "",
    },
    seen: ["requirements.txt:2 requires Flask"],
  },
  "Flask without a list of packages": {
    files: { ...PAGE, "app.py": "import os\nfrom flask import Flask\n" },
    seen: ["app.py:2 imports flask"],
  },
  "Django": {
    files: { ...PAGE, "manage.py": "import django", "pyproject.toml": '[project]\nname = "a"' },
    seen: ["manage.py:1 manages a Django project"],
  },
  "Python packages next to a page": {
    files: { ...PAGE, "requirements.txt": "mkdocs\n" },
    seen: ["requirements.txt:1 lists Python packages"],
  },
  "Rack without a start command": {
    files: {
      Gemfile: 'source "https://rubygems.org"\n\ngem "rack", "~> 3.0"\n',
      "public/404.html": "",
    },
    directory: "public",
    seen: ["Gemfile:3 requires rack"],
  },
  "Laravel, whose assets Vite builds": {
    files: {
      "package.json": pack(["vite", "laravel-vite-plugin"], { build: "vite build" }),
      artisan: "#!/usr/bin/env php",
      "composer.json": '{\n"require": {"laravel/framework": "12"}}',
      "public/build/manifest.json": "{}",
    },
    directory: "public",
    seen: ["artisan:1 manages a Laravel project"],
  },
  "Slim without a page": {
    files: { ...PAGE, "composer.json": '{"require": {"slim/slim": "4"}}' },
    seen: ["composer.json:1 requires slim/slim"],
  },
  "a library in Go": {
    files: { ...PAGE, "go.mod": "module example.com/shop\n\ngo 1.24\n", "shop.go": "package shop" },
    seen: ["go.mod:1 is the Go module example.com/shop"],
  },
  "Rust": {
    files: { ...PAGE, "Cargo.toml": '[package]\nname = "a"\n[dependencies]\naxum = "0.8"\n' },
    seen: ["Cargo.toml:4 requires axum"],
  },
  "Scala": {
    files: { ...PAGE, "build.sbt": 'name := "shop"' },
    seen: ["build.sbt:1 builds a Scala program"],
  },
  "Phoenix": {
    files: { ...PAGE, "mix.exs": 'defp deps do\n[{:phoenix, "~> 1.8"}]' },
    seen: ["mix.exs:2 requires phoenix"],
  },
  "a container with a program": {
    files: {
      ...PAGE,
      ...BUILT_BESIDE,
      Dockerfile: 'FROM node:24\nCOPY . .\nCMD ["node", "main.js"]\n',
    },
    seen: ['Dockerfile:3 starts ["node", "main.js"]'],
  },
  "a container whose last stage has a program": {
    files: {
      ...PAGE,
      ...BUILT_BESIDE,
      Dockerfile: "FROM nginx AS web\nFROM ruby:3.4 AS app\nFROM app\n",
    },
    seen: ["Dockerfile:3 builds an image from app"],
  },
  "a Procfile that starts a missing program": {
    files: { ...PAGE, Procfile: "release: ./migrate\nweb: bun run server\n" },
    seen: ["Procfile:2 starts bun run server"],
  },
  "a Python server hidden by a build script for assets": {
    files: {
      "package.json": pack([], { build: "node build.mjs" }),
      "requirements.txt": "fastapi\n",
      "dist/index.html": "",
    },
    directory: "dist",
    seen: ["requirements.txt:1 requires fastapi"],
  },
};

for (const [name, { seen, ...project }] of Object.entries(REFUSED)) {
  Deno.test(`findBuilt() refuses ${name}, with file and line`, async () => {
    const { found } = await inspect(project);
    assert.ok(found.type === "unusable", JSON.stringify(found));
    const [first, ...lines] = found.message.split("\n");
    assert.equal(
      first,
      "Nothing was deployed: this project looks like a server, not a static site",
    );
    assert.deepEqual(lines.slice(0, seen.length), seen.map((line) => `  ${line}`));
    assert.match(found.hint ?? "", /^svc .*\n\n\[build\]\nstatic = true\n$/s);
    const { found: published } = await inspect(project, { isStatic: true });
    assert.equal(published.type, "static");
  });
}

/**
 * A project whose files are published. `notes` matches the note about parts that are not deployed.
 */
const SITES: Readonly<
  Record<string, Project & { readonly options?: BuiltOptions; readonly notes?: RegExp }>
> = {
  "plain pages": { files: PAGE },
  "a site with only development tools": {
    files: { ...PAGE, "package.json": pack([], { start: "http-server" }), "tool.py": "import os" },
  },
  "a site that its own Express server previews": {
    files: {
      ...PAGE,
      "package.json": '{"devDependencies":{"express":"5"},"scripts":{"start":"gulp"}}',
    },
  },
  "Express as a dependency that no file imports": {
    files: { ...PAGE, "package.json": pack(["express"]), "main.js": "document.title = 'a';" },
  },
  "Python in the browser": {
    files: { ...PAGE, "main.py": "from pyscript import display", "pyscript.toml": "" },
  },
  "a container that only serves the files": {
    files: { ...PAGE, Dockerfile: "FROM nginx:alpine\nCOPY . /usr/share/nginx/html\n" },
  },
  "a container whose last stage only serves the files": {
    files: {
      ...PAGE,
      Dockerfile: "FROM node:24 AS build\nRUN npm run build\nFROM docker.io/library/caddy:2\n",
    },
  },
  "a Procfile that serves files": { files: { ...PAGE, Procfile: "web: npx serve dist\n" } },
  "a folder named api with pages and data": {
    files: { ...PAGE, "api/index.html": "", "api/v1.json": "{}", "api/client.js": "export let a;" },
  },
  "svc functions": {
    files: { ...PAGE, "functions/guard.ts": "export default (request, context) => undefined;" },
  },
  "the output of Jekyll": {
    files: { Gemfile: 'gem "jekyll"', "_site/index.html": "" },
    directory: "_site",
  },
  "a folder named by its author": {
    files: { "requirements.txt": "mkdocs\n", "mkdocs.yml": "", "site/index.html": "" },
    directory: "site",
    options: { isNamed: true },
  },
  "a Vite site with a container": {
    files: {
      "package.json": pack(["vite"], { build: "vite build" }),
      Dockerfile: "FROM node\nCMD npm start",
      Procfile: "web: npm start",
      "dist/index.html": "",
    },
  },
  "an Astro site with Express as a development tool": {
    files: {
      "package.json":
        '{"dependencies":{"astro":"5"},"devDependencies":{"express":"5"},"scripts":{"mock":"node mock.js"}}',
      "mock.js": EXPRESS,
      "dist/index.html": "",
    },
  },
  "a static Next.js export with Express as a development tool": {
    files: {
      "package.json":
        '{"dependencies":{"next":"15.0.0"},"devDependencies":{"express":"5"},"scripts":{"build":"next build"}}',
      "next.config.mjs": 'export default { output: "export" };',
      "server.js": EXPRESS,
      "out/index.html": "",
    },
    directory: "out",
  },
  "a Hugo site with its modules": {
    files: { "hugo.toml": "", "go.mod": "module a\n", "public/index.html": "" },
    directory: "public",
  },
  "a Vite site next to a Python program": {
    files: {
      "package.json": pack(["vite"], { build: "vite build" }),
      "requirements.txt": "fastapi\n",
      "dist/index.html": "",
    },
    notes: /The server next to them is not deployed \(requirements\.txt:1 requires fastapi\)/,
  },
};

for (const [name, { options, notes, ...project }] of Object.entries(SITES)) {
  Deno.test(`findBuilt() publishes ${name}`, async () => {
    const { found } = await inspect(project, options);
    assert.ok(found.type === "static", JSON.stringify(found));
    if (notes === undefined) assert.equal(found.notes, undefined);
    else assert.match(found.notes?.join() ?? "", notes);
  });
}
